-- Starts `tdc lsp` for .tdsl files.
local client

local function attach(args)
  if vim.lsp.start then -- Neovim 0.8
    vim.lsp.start({ name = "tdc", cmd = { "tdc", "lsp" } }, { bufnr = args.buf })
  else
    client = client or vim.lsp.start_client({ name = "tdc", cmd = { "tdc", "lsp" } })
    vim.lsp.buf_attach_client(args.buf, client)
  end
  local function map(keys, action)
    vim.keymap.set("n", keys, action, { buffer = args.buf })
  end
  map("K", vim.lsp.buf.hover)
  map("gd", vim.lsp.buf.definition)
  map("gr", vim.lsp.buf.references)
  map("<leader>r", vim.lsp.buf.rename)
  map("<leader>a", vim.lsp.buf.code_action)
  vim.bo[args.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  if vim.lsp.inlay_hint then -- Neovim 0.10
    vim.lsp.inlay_hint.enable(true, { bufnr = args.buf })
  end
end

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" },
  { pattern = "*.tdsl", callback = attach })
