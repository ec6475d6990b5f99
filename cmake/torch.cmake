# Finds LibTorch inside the torch package of a Python environment: headers and libraries are in its wheel. Sets
# TORCH_LIBRARIES and TORCH_INCLUDE_DIRS, empty if not found.
#
# TORCH_ROOT names the package's folder; otherwise the project's .venv is asked, then the python3 in the path. The
# package is located, not imported, and its own CMake files, which look for a dozen other things, are left alone.
set(TORCH_ROOT "" CACHE PATH "Folder of the torch Python package (has include/ and lib/)")

set(torch_root ${TORCH_ROOT})
foreach(python ${PROJECT_SOURCE_DIR}/.venv/bin/python python3)
  if(NOT torch_root)
    execute_process(
      COMMAND ${python} -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
      OUTPUT_VARIABLE torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE ignored)
  endif()
endforeach()
set(TORCH_LIBRARIES "")
set(TORCH_INCLUDE_DIRS "")
if(torch_root AND EXISTS ${torch_root}/lib/libtorch_cpu.so AND EXISTS ${torch_root}/include/ATen/ATen.h)
  foreach(name c10 torch_cpu)
    if(EXISTS ${torch_root}/lib/lib${name}.so)
      list(APPEND TORCH_LIBRARIES ${torch_root}/lib/lib${name}.so)
    endif()
  endforeach()
  # Nothing refers to a symbol of libtorch.so or libtorch_cuda.so, so a linker that defaults to --as-needed drops them,
  # and with them every CUDA device. They are named here alone: mold goes by the first mention of a library. One argument,
  # so that the order of its parts is kept.
  set(kept "")
  foreach(name torch c10_cuda torch_cuda)
    if(EXISTS ${torch_root}/lib/lib${name}.so)
      string(APPEND kept ",${torch_root}/lib/lib${name}.so")
    endif()
  endforeach()
  list(APPEND TORCH_LIBRARIES "-Wl,--push-state,--no-as-needed${kept},--pop-state")
  set(TORCH_INCLUDE_DIRS ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
elseif(TORCH_ROOT)
  message(FATAL_ERROR "TORCH_ROOT is ${TORCH_ROOT}, which has no include/ATen/ATen.h and lib/libtorch_cpu.so. "
                      "Name the folder of an installed torch package, or leave it empty.")
endif()
