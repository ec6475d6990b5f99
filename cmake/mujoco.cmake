# Finds MuJoCo inside the mujoco package of a Python environment: headers and library are in its wheel. Sets
# MUJOCO_LIBRARY and MUJOCO_INCLUDE_DIR, empty if not found.
#
# MUJOCO_ROOT names the package's folder; otherwise the project's .venv is asked, then the python3 in the path. The
# package is located, not imported.
set(MUJOCO_ROOT "" CACHE PATH "Folder of the mujoco Python package (has include/ and libmujoco.so.*)")

set(mujoco_root ${MUJOCO_ROOT})
foreach(python ${PROJECT_SOURCE_DIR}/.venv/bin/python python3)
  if(NOT mujoco_root)
    execute_process(
      COMMAND ${python} -c "import importlib.util as u; s = u.find_spec('mujoco'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE mujoco_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE ignored)
  endif()
endforeach()
# The library's name carries its version; of several the last.
file(GLOB mujoco_libraries ${mujoco_root}/libmujoco.so.*)
set(MUJOCO_LIBRARY "")
set(MUJOCO_INCLUDE_DIR "")
if(mujoco_root AND mujoco_libraries AND EXISTS ${mujoco_root}/include/mujoco/mujoco.h)
  list(GET mujoco_libraries -1 MUJOCO_LIBRARY)
  set(MUJOCO_INCLUDE_DIR ${mujoco_root}/include)
elseif(MUJOCO_ROOT)
  message(FATAL_ERROR "MUJOCO_ROOT is ${MUJOCO_ROOT}, which has no include/mujoco/mujoco.h and libmujoco.so.*. "
                      "Name the folder of an installed mujoco package, or leave it empty.")
endif()
