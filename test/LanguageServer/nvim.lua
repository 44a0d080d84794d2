-- What Neovim gets from `tdc lsp` with editors/nvim: a diagnostic, a hover, a new name.
local function say(text) io.stdout:write(text .. "\n") end

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then
    say("no " .. what)
    vim.cmd("cquit")
  end
end

local function ask(method, position, more)
  local params = vim.tbl_extend("error", {
    textDocument = vim.lsp.util.make_text_document_params(0), position = position }, more or {})
  local answers = vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, 30000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

vim.cmd("edit " .. vim.fn.argv(0))
wait("diagnostics", function() return #vim.diagnostic.get(0) == 1 end)
local report = vim.diagnostic.get(0)[1]
say(("%d:%d %s"):format(report.lnum, report.col, report.message:match("[^\n]+")))
say(ask("hover", { line = 0, character = 4 }).contents.value)
local edit = ask("rename", { line = 0, character = 4 }, { newName = "weights" })
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
say(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"))
-- The client sends changes of a line as such.
vim.api.nvim_buf_set_lines(0, 2, 3, false, { "print(weights)" })
wait("repair", function() return #vim.diagnostic.get(0) == 0 end)
say("repaired")
vim.cmd("quitall!")
