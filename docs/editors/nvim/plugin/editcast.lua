-- Editcast in Neovim 0.10 or newer: \n accepts the best suggestion, wherever it is in the file.
-- Settings: vim.g.editcast = { eagerness = "high" }.
vim.api.nvim_create_autocmd("FileType", {
  callback = function(event)
    if vim.bo[event.buf].buftype ~= "" then
      return
    end
    vim.lsp.start({
      name = "editcast",
      cmd = { "editcast", "serve" },
      root_dir = vim.fs.root(event.buf, ".git") or vim.uv.cwd(),
      init_options = vim.g.editcast,
    }, { bufnr = event.buf })
  end,
})

vim.keymap.set("n", "<Leader>n", function()
  vim.lsp.buf.code_action({
    context = { only = { "quickfix.nextEdit" } },
    filter = function(action) return action.isPreferred end,
    apply = true,
  })
end)
