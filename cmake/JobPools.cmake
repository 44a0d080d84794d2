# A compile job that includes MLIR needs up to 1.5 GB, a static link 2 GB.
# Ninja counts only cores, so a small machine would swap: the pools limit the
# jobs by the available memory.
cmake_host_system_information(RESULT tdc_memory_mb QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT tdc_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR tdc_compile_jobs "${tdc_memory_mb} / 1536")
math(EXPR tdc_link_jobs "${tdc_memory_mb} / 2048")
foreach(kind compile link)
  if(tdc_${kind}_jobs LESS 1)
    set(tdc_${kind}_jobs 1)
  elseif(tdc_${kind}_jobs GREATER tdc_cores)
    set(tdc_${kind}_jobs ${tdc_cores})
  endif()
  set_property(GLOBAL APPEND PROPERTY JOB_POOLS ${kind}=${tdc_${kind}_jobs})
endforeach()
set(CMAKE_JOB_POOL_COMPILE compile)
set(CMAKE_JOB_POOL_LINK link)
set(CMAKE_JOB_POOL_PRECOMPILE_HEADER compile)
