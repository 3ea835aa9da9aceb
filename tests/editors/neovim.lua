-- What a user does in Neovim, for test_neovim.py. EDITCAST_TEST_WAY is how the third edit is
-- taken, or turned down. Ends with a status other than 0, and a sentence, when something is wrong.
local seconds = tonumber(vim.env.EDITCAST_TEST_SECONDS)
local way = vim.env.EDITCAST_TEST_WAY

local function fail(what)
  io.stdout:write("\nnever came: " .. what .. "\n" .. vim.fn.execute("messages") .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(seconds * 1000, condition, 20) then
    fail(what)
  end
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "xt", false)
end

-- The server's answer, waited for.
local function ask(method, params)
  local _, answer = next(vim.lsp.buf_request_sync(0, method, params, seconds * 1000))
  return answer.result
end

-- The first line of the menu, where Neovim 0.7 always asks.
vim.ui.select = function(items, _, choose)
  choose(items[1])
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
end

local function drawn()
  local space = vim.api.nvim_get_namespaces().editcast
  return vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })
end

vim.g.mapleader = "\\"
vim.g.editcast = vim.fn.json_decode(vim.env.EDITCAST_TEST_SETTINGS)
vim.cmd("filetype on")
for file in vim.gsplit(vim.env.EDITCAST_TEST_CONFIGURATION, ":") do
  dofile(file)
end
if way == "Tab, out of sight" then
  vim.o.lines = 6
end
vim.cmd("edit parts.py")
-- Without a server this is no failure yet: what must not come then is the edit.
vim.wait(seconds * 1000, function()
  local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 })
  return next(clients or vim.lsp.buf_get_clients(0)) ~= nil
end, 20)
for _, line in ipairs({ 2, 6 }) do
  vim.cmd(line .. "s/render/draw/ | write")
end
local edited = text()

if way == "code action" then
  wait("the code action", function()
    press("<Leader>n")
    return vim.wait(500, function() return text() ~= edited end, 20)
  end)
else
  wait("the drawing", function() return #drawn() > 0 end)
  for _, mark in ipairs(drawn()) do
    local details = mark[4]
    if details.virt_text then
      io.stdout:write("line " .. mark[2] + 1 .. ": " .. details.virt_text[1][1] .. "\n")
    end
  end
  vim.cmd("new")
  press("i<Tab>x<Esc>")
  assert(text() == "\tx", "where nothing is drawn Tab is Tab")
  vim.cmd("bdelete!")
  if way == "Esc" then
    press("<Esc>")
    assert(#drawn() == 0, "Esc left something drawn")
    local params = vim.lsp.util.make_range_params(0, "utf-16")
    params.context = { diagnostics = {}, triggerKind = 1 }
    for _, action in ipairs(ask("textDocument/codeAction", params)) do
      assert(action.data.line ~= 9, "what was turned down came back")
    end
  else
    press("<Tab>")
    assert(text() == edited, "the first Tab only jumps")
    assert(vim.api.nvim_win_get_cursor(0)[1] == 10, "Tab jumps to the edit")
    press("<Tab>")
  end
end
vim.cmd("write")
ask("workspace/executeCommand", { command = "editcast.status" }) -- all before it is done then
vim.cmd("qall!")
