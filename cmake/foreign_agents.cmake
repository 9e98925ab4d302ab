# The agents for hosts with other processors than this machine's: static, from the one-file
# source, by Debian's cross compilers and an unpacked musl-dev of theirs. Nothing here needs
# them: what is missing is told, and hosts of that kind compile the source themselves.
set(VNM_MUSL_CACHE /var/cache/vnm/musl CACHE PATH "unpacked musl-dev packages, a folder an architecture")

# foreign_agent(MACHINE ARCH TRIPLET MUSL): vnm-agent-MACHINE; appends MACHINE to one of the
# lists `agents_built` and `agents_missing` of the caller. ARCH is Debian's name, MUSL musl's triplet.
function(foreign_agent machine arch triplet musl)
	find_program(VNM_CROSS_${machine} ${triplet}-gcc)
	set(lib ${VNM_MUSL_CACHE}/${arch}/usr/lib/${musl})
	set(include ${VNM_MUSL_CACHE}/${arch}/usr/include/${musl})
	if(NOT VNM_CROSS_${machine} OR NOT EXISTS ${lib}/crt1.o OR NOT EXISTS ${include}/stdio.h)
		set(agents_missing ${agents_missing} ${machine} PARENT_SCOPE)
		return()
	endif()
	set(agents_built ${agents_built} ${machine} PARENT_SCOPE)
	# gcc's own start files, headers and libraries give way to musl's, as in musl-gcc.
	set(specs ${CMAKE_CURRENT_BINARY_DIR}/musl-${machine}.specs)
	file(CONFIGURE OUTPUT ${specs} @ONLY CONTENT
"%rename cc1 vnm_cc1

*cc1:
%(vnm_cc1) -nostdinc -isystem @include@ -isystem include%s -idirafter /usr/@triplet@/include

*link_libgcc:
-L@lib@ -L .%s

*libgcc:
libgcc.a%s %:if-exists(libgcc_eh.a%s)

*startfile:
@lib@/crt1.o @lib@/crti.o crtbegin.o%s

*endfile:
crtend.o%s @lib@/crtn.o

*link:
-nostdlib %{static:-static}

")
	set(out ${CMAKE_CURRENT_BINARY_DIR}/vnm-agent-${machine})
	add_custom_command(
		OUTPUT ${out}
		COMMAND ${VNM_CROSS_${machine}} -specs ${specs} -std=c11 ${agent_code_flags} ${agent_link_flags}
		        ${agent_musl_flags} ${agent_source} -lm -o ${out}
		DEPENDS ${agent_source} ${specs}
		COMMENT "Building the agent for ${machine}"
		VERBATIM)
	add_custom_target(vnm-agent-for-${machine} ALL DEPENDS ${out})
	install(PROGRAMS ${out} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/vnm)
endfunction()

# The machine's own kind needs no cross compiler.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" agent_native)
if(agent_native STREQUAL "amd64")
	set(agent_native x86_64)
elseif(agent_native STREQUAL "arm64")
	set(agent_native aarch64)
elseif(agent_native MATCHES "^armv[78]")
	set(agent_native armv7)
endif()
set(agents_built ${agent_native})
set(agents_missing)
set(agents
	"x86_64 amd64 x86_64-linux-gnu x86_64-linux-musl"
	"aarch64 arm64 aarch64-linux-gnu aarch64-linux-musl"
	"armv7 armhf arm-linux-gnueabihf arm-linux-musleabihf")
foreach(row ${agents})
	string(REPLACE " " ";" row "${row}")
	list(GET row 0 machine)
	if(NOT machine STREQUAL agent_native)
		foreign_agent(${row})
	endif()
endforeach()
list(JOIN agents_built ", " built)
message(STATUS "agents for the hosts: ${built}, and the source for others")
if(agents_missing)
	list(JOIN agents_missing ", " missing)
	message(STATUS "agents missing: ${missing} (such hosts need a C compiler); to get them on Debian or"
	               " Ubuntu: sudo scripts/agents, then configure again")
endif()
set_property(GLOBAL PROPERTY VNM_AGENTS ${agents_built}) # for the tests
