-- What a user does in Neovim who renames a function that another file imports: Tab alone, from the
-- hint at the file to the last of its places. For test_neovim.py.
local seconds = tonumber(vim.env.EDITCAST_TEST_SECONDS)

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "xt", false)
end

local function wait(what, condition)
  if not vim.wait(seconds * 1000, condition, 20) then
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
    io.stdout:write("\nnever came: " .. what .. "\n" .. text .. vim.fn.execute("messages") .. "\n")
    vim.cmd("cquit 1")
  end
end

local function drawn()
  local space, texts = vim.api.nvim_get_namespaces().editcast, {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    if mark[4].virt_text then
      texts[#texts + 1] = mark[4].virt_text[1][1]
    end
  end
  return table.concat(texts, " ")
end

vim.g.editcast = vim.fn.json_decode(vim.env.EDITCAST_TEST_SETTINGS)
vim.cmd("filetype on")
for file in vim.gsplit(vim.env.EDITCAST_TEST_CONFIGURATION, ":") do
  dofile(file)
end
vim.cmd("edit prices.py")
wait("the server", function() return next(vim.lsp.get_clients({ bufnr = 0 })) ~= nil end)
vim.cmd("1s/tax/sales_tax/")
wait("the hint", function()
  vim.cmd("write") -- until the folder has been read
  return vim.wait(500, function() return drawn() == "  Tab: bill.py line 1" end, 20)
end)
press("<Tab>")
assert(vim.fn.expand("%:t") == "bill.py", "Tab opens the file")
for place = 1, 2 do
  wait("place " .. place, function() return drawn() == "sales_tax" end)
  press(place == 1 and "<Tab>" or "<Tab><Tab>") -- the second one is on another line
end
vim.cmd("write")
wait("the end", function() return drawn() == "" end)
vim.cmd("qall!")
