-- :checkhealth editcast
local health = vim.health
local M = {}

function M.check()
  health.start("Editcast")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim is 0.10 or newer")
  else
    health.error("Neovim is older than 0.10", "Use neovim-0.7.lua, which has only the code action")
    return
  end
  if vim.fn.executable("editcast") == 0 then
    health.error("The command editcast is not on the path", "Run pip install . in a clone of Editcast")
    return
  end
  local said = vim.system({ "editcast", "--version" }, { text = true }):wait()
  if said.code == 0 then
    health.ok(vim.trim(said.stdout))
  else
    health.error("editcast does not run: " .. vim.trim(said.stderr), "Run editcast doctor in a shell")
    return
  end
  local clients = vim.lsp.get_clients({ name = "editcast" })
  if #clients == 0 then
    health.warn("The server is not running yet", "Open a file that has a file type")
    return
  end
  local answer = clients[1].request_sync("workspace/executeCommand", { command = "editcast.status" }, 5000, 0)
  if answer and answer.result then
    health.ok(answer.result.message)
  else
    health.error("The server does not answer", "See :LspLog, and the log in the folder that editcast doctor names")
  end
end

return M
