-- Suggestions drawn in the text, for Neovim 0.10 or newer, with editcast.lua. Tab jumps to the
-- suggestion, then accepts it; Esc in normal mode dismisses it. Once nothing is left to do in a file,
-- Tab goes to the next file to update. If nothing is drawn, both keys keep their meaning.
local space = vim.api.nvim_create_namespace("editcast")
local drawn = {} -- buffer -> what is drawn there: { client, version, suggestion or file }
local turned_down = {} -- files that the user does not want to be sent to

local function tell(client, command, id)
  local params = { command = command, arguments = { id } }
  local request = vim.fn.has("nvim-0.11") == 1 and function(...) client:request(...) end
    or client.request
  request("workspace/executeCommand", params, function() end)
end

local function clear(buffer)
  drawn[buffer] = nil
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
end

-- Where one of LSP's positions is: the row from 0, the column in bytes.
local function place(buffer, position, encoding)
  local line = vim.api.nvim_buf_get_lines(buffer, position.line, position.line + 1, false)[1] or ""
  local column = math.min(position.character, #line)
  if encoding ~= "utf-8" then
    column = vim.str_byteindex(line, column, encoding == "utf-16")
  end
  return position.line, column
end

local function draw(buffer, client, edit)
  local row, column = place(buffer, edit.range.start, client.offset_encoding)
  local last, behind = place(buffer, edit.range["end"], client.offset_encoding)
  local lines = vim.split(edit.newText, "\n", { plain = true })
  local below = {}
  for i = 2, #lines do
    below[i - 1] = { { lines[i], "DiffAdd" } }
  end
  if row ~= last or column ~= behind then
    vim.api.nvim_buf_set_extmark(buffer, space, row, column, {
      end_row = last, end_col = behind, hl_group = "DiffDelete", strict = false,
    })
  end
  vim.api.nvim_buf_set_extmark(buffer, space, last, behind, {
    virt_text = { { lines[1], "DiffAdd" } }, virt_text_pos = "inline", virt_lines = below,
    strict = false,
  })
end

-- Says where Tab goes, behind the line of the cursor.
local function draw_hint(buffer, window, where)
  vim.api.nvim_buf_set_extmark(buffer, space, vim.api.nvim_win_get_cursor(window)[1] - 1, 0, {
    virt_text = { { "  Tab: " .. where, "Comment" } }, virt_text_pos = "eol",
  })
end

-- Names a file in which to go on, and how many more there are.
local function other_file(file, more)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~:.")
  local where = name .. " line " .. file.line + 1
  return more == 0 and where or where .. " (" .. more .. " more file" .. (more > 1 and "s)" or ")")
end

local function predicted(_, result, context)
  local buffer = vim.uri_to_bufnr(result.uri)
  local client, suggestion = vim.lsp.get_client_by_id(context.client_id), result.suggestions[1]
  clear(buffer)
  -- Edits of an older text must not be drawn on this one; the server sends others soon.
  if not (client and result.version == vim.lsp.util.buf_versions[buffer]) then
    return
  end
  local file, window = result.otherFiles[1], vim.fn.bufwinid(buffer)
  if not suggestion and file and not turned_down[file.uri] then
    drawn[buffer] = { client = client, version = result.version, file = file }
    if window ~= -1 then
      draw_hint(buffer, window, other_file(file, #result.otherFiles - 1))
    end
  end
  if not suggestion then
    return
  end
  drawn[buffer] = { client = client, version = result.version, suggestion = suggestion }
  for _, edit in ipairs(suggestion.edits) do
    draw(buffer, client, edit)
  end
  if window ~= -1 then
    local line = suggestion.line + 1
    if line < vim.fn.line("w0", window) or line > vim.fn.line("w$", window) then
      draw_hint(buffer, window, "line " .. line)
    end
    tell(client, "editcast.shown", suggestion.id)
  end
end

-- What is drawn for the text as it is now.
local function current(buffer)
  local it = drawn[buffer]
  return it and it.version == vim.lsp.util.buf_versions[buffer] and it or nil
end

local function jump_or_take()
  local buffer = vim.api.nvim_get_current_buf()
  local it = current(buffer)
  if not it then
    vim.api.nvim_feedkeys(vim.keycode("<Tab>"), "in", false)
    return
  end
  if it.file then
    clear(buffer)
    vim.cmd("normal! m'")
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(it.file.uri)))
    vim.api.nvim_win_set_cursor(0, { it.file.line + 1, 0 })
    return
  end
  local edits = it.suggestion.edits
  local row, column = place(buffer, edits[1].range.start, it.client.offset_encoding)
  if vim.api.nvim_win_get_cursor(0)[1] ~= row + 1 then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { row + 1, column })
    return
  end
  clear(buffer)
  vim.lsp.util.apply_text_edits(edits, buffer, it.client.offset_encoding)
  tell(it.client, "editcast.accept", it.suggestion.id)
end

local function turn_down()
  local buffer = vim.api.nvim_get_current_buf()
  local it = current(buffer)
  if it and it.file then
    clear(buffer)
    turned_down[it.file.uri] = true
  elseif it then
    clear(buffer)
    tell(it.client, "editcast.reject", it.suggestion.id)
  else
    vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "in", false)
  end
end

vim.lsp.handlers["editcast/didPredict"] = predicted
vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
  callback = function(event)
    if drawn[event.buf] and not current(event.buf) then
      clear(event.buf)
    end
  end,
})
vim.keymap.set({ "n", "i" }, "<Tab>", jump_or_take)
vim.keymap.set("n", "<Esc>", turn_down)
