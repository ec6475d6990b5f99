# tests/agents/needed_libraries.cmake - the NEEDED entries of a program include every shared library that it is linked to.
#
#   cmake -DPROGRAM=build/release/bin/mneme "-DLIBRARIES=/a/libc10.so;-Wl,/a/libtorch.so" -P needed_libraries.cmake
execute_process(COMMAND readelf -d ${PROGRAM} OUTPUT_VARIABLE entries RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "readelf -d ${PROGRAM} failed: ${failed}")
endif()
set(checked 0)
foreach(library ${LIBRARIES})
  string(REPLACE "," ";" parts "${library}")  # -Wl,--no-as-needed,/a/libtorch.so
  foreach(part ${parts})
    if(part MATCHES "^/")
      get_filename_component(name ${part} NAME)
      string(FIND "${entries}" "Shared library: [${name}]" at)
      if(at EQUAL -1)
        message(FATAL_ERROR "${PROGRAM} does not load ${name}: the linker dropped it\n${entries}")
      endif()
      math(EXPR checked "${checked} + 1")
    endif()
  endforeach()
endforeach()
if(checked LESS 3)
  message(FATAL_ERROR "only ${checked} libraries to check in '${LIBRARIES}'")
endif()
