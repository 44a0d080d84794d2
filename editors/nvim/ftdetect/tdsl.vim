autocmd BufRead,BufNewFile *.tdsl setfiletype tdsl
