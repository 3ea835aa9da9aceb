"""The network cut for incremental inference: the state once, then each edit once.

No batch. What an edit leaves behind is one row of a cache, F wide, and one row of `past`. Edits
that are known together, such as those of a save, are read together.

    S  state tokens, M+1    t  edits so far    N  items, S+t    F  width of a cache row
    D  width    H  heads    K  D / H           V  vocabulary    C  width of the surroundings
    E  width of a token's vector    A  heads of Seek    O  offsets around a site
    n  edits read together

`Encode`, `Advance`, `Point` and `Content` become the ONNX graphs of a bundle; `stages.py` names the
tensors that they take and return. To read an edit costs the same in every file; only `Point` and
`Content` look through the whole state, once a suggested edit.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from editcast_model.edits import DELETE, SAVE
from editcast_model.inference.relative_positions import HERE
from editcast_model.networks.attention import Block, hidden_bias, split_heads
from editcast_model.networks.config import VECTOR
from editcast_model.networks.equality import EARLIER, REACH, around
from editcast_model.networks.heads import mix, pointer_logits
from editcast_model.networks.model import ImplicitAttention
from editcast_model.networks.spans import LONGEST, beside_spans, room_of
from editcast_model.networks.stages import cache_slots, read_names


def _ago(rows: Tensor, steps: Tensor) -> Tensor:
    """How long before each of `steps` (n,) each of the rows (R, ...) was: (n, R)."""
    return steps.unsqueeze(-1) - torch.arange(rows.shape[0], device=rows.device)


def _found(surroundings: Tensor, vectors: Tensor) -> Tensor:
    """Products of surroundings (1, C) with those of each token, whose vectors are (S, E): (1, S).

    The surroundings of all tokens side by side would be eleven times the vectors.
    """
    size = vectors.shape[0]
    each = torch.matmul(vectors, surroundings.unflatten(-1, (-1, VECTOR)).squeeze(0).T)  # (S, O)
    padded = functional.pad(each, (0, 0, REACH, REACH))
    shifted = [padded.narrow(0, offset, size)[:, offset] for offset in range(2 * REACH + 1)]
    return torch.stack(shifted).sum(0, keepdim=True)


class _Stage(nn.Module):
    """What the stages share: the network and the layout of a cache row."""

    def __init__(self, network: ImplicitAttention) -> None:
        super().__init__()
        self.network = network
        self.config = network.config
        self.slots = cache_slots(network.config)

    def item(self, position: Tensor, hidden: Tensor, edits: Tensor) -> Tensor:
        """The hiddens of items (n,), of the state (S, D) or of the rows (R, D): (n, D).

        Joining the two would copy the whole state for one row.
        """
        size = hidden.shape[0]
        of_state = hidden.index_select(0, position.clamp(max=size - 1))
        of_edits = edits.index_select(0, (position - size + 1).clamp(min=0))
        return torch.where((position < size).unsqueeze(-1), of_state, of_edits)

    def against_keys(self, query: Tensor, hidden: Tensor) -> Tensor:
        """Products of a query (1, D) with the keys of hiddens (R, D), not made for it: (1, R)."""
        if self.config.aggregate != "residual":
            return pointer_logits(query, hidden)
        key = self.network.pointer_key
        return pointer_logits(torch.matmul(query, key.weight), hidden) + torch.matmul(
            query, key.bias.unsqueeze(-1)
        )

    def self_attend(
        self, block: Block, x: Tensor, query: Tensor, own: Tensor, past: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Each row over the rows before it and itself.

        Args:
            block: Of the network.
            x: (n, D), and its `query` (n, D).
            query: See `x`.
            own: What the rows add to the memory, (n, D).
            past: Keys and values of the rows before, (t, 2D).

        Returns:
            The block's output (n, D), and the rows' keys and values (n, 2D).
        """
        kv = block.kv(own)
        rows = torch.cat([past, kv], 0)
        k, v = (split_heads(part, block.heads) for part in rows.chunk(2, -1))
        ago = _ago(rows, past.shape[0] + torch.arange(kv.shape[0], device=kv.device))
        return block(x, query, k, v, hidden_bias(ago >= 0, x.dtype), ago.clamp(0, 127)), kv


class Encode(_Stage):
    """State ids (S,) -> the tensors of `state_names`."""

    def forward(self, state: Tensor) -> tuple[Tensor, ...]:
        """Encode ``s(0)``."""
        network, config = self.network, self.config
        out = [network.read_state(state.unsqueeze(0)).squeeze(0)]
        if config.equality or config.seek or config.analogy:
            own = network.vectors if config.equality or config.seek else network.analogy.vectors
            out.append(own[state])
        if config.seek:
            out.append(network.seek.place(out[0]))
        if not config.local:
            out += [block.joint_memory(out[0]) for block in network.state_reads]
        return tuple(out)


class Advance(_Stage):
    """Read edits."""

    def forward(
        self, edits: Tensor, past: Tensor, cache: Tensor, live: Tensor, *state: Tensor
    ) -> Tensor:
        """Advance by a row an edit.

        Args:
            edits: Content, position, site, rank and move of each edit, int64 (n, 5). The first row
                of all is no edit, and is read alone: `START` at 0, 0, 0, and the middle bucket.
            past: Content and site of the rows before, int64 (t, 2).
            cache: Their cache rows, (t, F).
            live: What stands of the state after each edit, bool (n, S).
            state: The tensors of `read_names`.

        Returns:
            The rows' cache (n, F).
        """
        network, config, slots = self.network, self.config, self.slots
        given = dict(zip(read_names(config, "advance"), state, strict=True))
        content, position, site, rank, move = edits.unbind(-1)
        hidden = given["hidden"]
        step = past.shape[0] + torch.arange(content.shape[0], device=content.device)
        parts: dict[str, Tensor] = {}

        contents = torch.cat([past[:, 0], content])
        x = network.edit_inputs(content, rank, site, move, hidden)
        if config.equality:
            x = x + self._written(contents, step, site, given["vectors"])
        for layer in range(config.edit_layers):
            own, read = network.edit_blocks[layer], network.state_reads[layer]
            query = own.query(x, step)
            name = f"edit{layer}"
            x, parts[name] = self.self_attend(own, x, query, query, cache[:, slots[name]])
            x = self._read_state(read, x, step, site, given.get(f"memory{layer}"), hidden, live)
        parts["hidden"] = network.finish_edits(x)
        rows = torch.cat([cache[:, slots["hidden"]], parts["hidden"]], 0)
        anchor = self.item(position, hidden, rows)

        x = parts["hidden"] if config.decoder == "edits" else anchor
        for layer in range(config.position_layers):
            block, name = network.position_blocks[layer], f"position{layer}"
            query = block.query(x, step)
            x, parts[name] = self.self_attend(block, x, query, query, cache[:, slots[name]])
        parts["asks"] = network.position_hidden(x)
        if config.seek:
            sites = torch.cat([past[:, 1], site])
            sought = self._sought(parts["asks"], rows, contents, step, sites, given["vectors"])
            parts["sought"] = sought.flatten(1)
        self._keep_for_content(parts, contents, anchor, cache, step)
        return torch.cat([parts[name] for name in slots], 1)

    def _written(self, contents: Tensor, step: Tensor, site: Tensor, vectors: Tensor) -> Tensor:
        """What the contents (t + n,) at steps (n,) are equal to: (n, D)."""
        network = self.network
        earlier = step.unsqueeze(-1) - torch.arange(1, EARLIER + 1, device=site.device)
        before = network.vectors[contents[earlier.clamp(min=0)]] * (earlier >= 0)[..., None]
        return network.written(network.vectors[contents[step]], around(vectors, site), before)

    def _sought(
        self,
        hidden: Tensor,
        edits: Tensor,
        contents: Tensor,
        step: Tensor,
        sites: Tensor,
        text: Tensor,
    ) -> Tensor:
        """What is looked for, (n, A, E)."""
        network = self.network
        seen = hidden_bias(_ago(edits, step) >= 0, hidden.dtype)
        rows = network.seek.rows(hidden, edits, seen)
        wrote = network.vectors[contents].unsqueeze(1)
        tokens = torch.cat([around(text, sites), wrote], 1)
        return network.seek.sought(hidden, rows, tokens)

    def _read_state(
        self,
        block: Block,
        x: Tensor,
        step: Tensor,
        site: Tensor,
        memory: Tensor | None,
        hidden: Tensor,
        live: Tensor,
    ) -> Tensor:
        """Attention from each row (n, D) to the state, or to what is near its site."""
        query = block.query(x, step)
        reach, size = self.config.local, hidden.shape[0]
        if memory is not None:
            bias = hidden_bias(live, x.dtype) if self.config.deletions else None
            k, v = (split_heads(part, block.heads) for part in memory.chunk(2, -1))
            return block(x, query, k, v, bias)
        offset = torch.arange(2 * reach + 1, device=x.device)
        place = site.unsqueeze(-1) - reach + offset
        near = place.clamp(min=0).minimum(torch.full_like(place, 0) + (size - 1))
        seen = near == place
        if self.config.deletions:
            seen = seen & torch.gather(live, -1, near)
        around_each = hidden.index_select(0, near.flatten()).unflatten(0, near.shape)
        memory = block.joint_memory(around_each)  # (n, 2 reach + 1, 2D): each row has its own
        bias = hidden_bias(seen, x.dtype)[:, None, None, :]
        k, v = (split_heads(part, block.heads) for part in memory.chunk(2, -1))
        x, query = x.unsqueeze(1), query.unsqueeze(1)
        return block(x, query, k, v, bias, offset.unsqueeze(0)).squeeze(1)

    def _keep_for_content(
        self,
        parts: dict[str, Tensor],
        contents: Tensor,
        anchor: Tensor,
        cache: Tensor,
        step: Tensor,
    ) -> None:
        """Rows for the content head.

        The row of the paper's `vanilla` decoder is that of the step which chose this edit's
        content: it became known only with this edit's position.
        """
        network, config, slots = self.network, self.config, self.slots
        if config.decoder == "analogical":
            x = network.embed(contents[step]) - anchor
            for layer in range(config.content_layers):
                block, name = network.content_blocks[layer], f"content{layer}"
                query = block.query(x, step)
                x, parts[name] = self.self_attend(block, x, query, query, cache[:, slots[name]])
            parts["read"] = x
            return
        if config.decoder == "edits":
            for layer in range(config.content_layers):
                block = network.content_blocks[layer]
                parts[f"content{layer}"] = block.joint_memory(parts["hidden"])
            return
        # Row 0 has no step before it: what it keeps is never read (`Content` begins at row 1).
        x = anchor + network.embed(contents[step - 1])
        asked = (step - 1).clamp(min=0)
        for layer in range(config.content_layers):
            block, name = network.content_blocks[layer], f"content{layer}"
            query = block.query(x, asked)
            x, parts[name] = self.self_attend(block, x, query, query, cache[1:, slots[name]])


class Point(_Stage):
    """Say where the next edit will be."""

    def forward(
        self, past: Tensor, cache: Tensor, buckets: Tensor, live: Tensor, *state: Tensor
    ) -> Tensor:
        """Log probabilities of the next position.

        Args:
            past: Content and site of all rows so far, int64 (t + 1, 2).
            cache: Their cache rows, (t + 1, F).
            buckets: Distances from the last edit, int64 (N,), its own item included.
            live: What the next edit may point at, bool (N,).
            state: The tensors of `read_names`.

        Returns:
            (N,).
        """
        network, config, slots = self.network, self.config, self.slots
        given = dict(zip(read_names(config, "point"), state, strict=True))
        last = torch.full_like(past[:1, 0], 0) + (past.shape[0] - 1)
        hidden = cache[:, slots["asks"]].index_select(0, last)
        edits, sites = cache[:, slots["hidden"]], past[:, 1]
        query = network.query_of(hidden)
        at_state = self.against_keys(query, given["hidden"])
        if config.analogy:
            seen = torch.ones(1, 1, dtype=torch.bool, device=hidden.device)
            weights = network.analogy.weights(hidden, edits, seen)
            looks = around(given["vectors"], sites).flatten(-2)
            at_state = at_state + _found(network.analogy.query(weights, looks), given["vectors"])
        at_edits = self.against_keys(query, edits)[:, 1:]
        logits = torch.cat([at_state, at_edits], 1)
        if config.distance:
            logits = logits + network.distance(hidden, buckets.unsqueeze(0))
        size = given["hidden"].shape[0]
        ahead = (live[:size] & (buckets[:size] >= HERE)).unsqueeze(0)
        if config.seek:
            sought = cache[:, slots["sought"]].index_select(0, last)
            sought = sought.unflatten(-1, (config.seek, VECTOR))
            found, _ = network.seek(hidden, sought, given["vectors"], given["places"], ahead)
            logits = logits + torch.cat([found, found[:, sites[1:]]], 1)
        logits = logits + hidden_bias(live, logits.dtype)
        if config.scan:
            behind = last.unsqueeze(0) + (size - 1)
            return network.scan(hidden, logits, ahead, behind, live.unsqueeze(0)).squeeze(0)
        return torch.log_softmax(logits.float(), -1).squeeze(0)


class Content(_Stage):
    """Say what the next edit will be, given where."""

    def forward(
        self,
        position: Tensor,
        past: Tensor,
        cache: Tensor,
        tokens: Tensor,
        *state: Tensor,
    ) -> Tensor | tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of the next content.

        Args:
            position: The item pointed at, int64 (1,).
            past: Content and site of all rows so far, int64 (t + 1, 2).
            cache: Their cache rows, (t + 1, F).
            tokens: The state's ids, int64 (S,).
            state: The tensors of `read_names`.

        Returns:
            (V,). With spans, also those of copying a span of 2 to `LONGEST` tokens by where it
            begins, (L - 1, N), and of the numbers of tokens deleted, 1 to `LONGEST`, if the next
            content is a deletion, (L,).
        """
        network, config, slots = self.network, self.config, self.slots
        given = dict(zip(read_names(config, "content"), state, strict=True))
        hidden = given["hidden"]
        step = torch.full_like(position, 0) + (past.shape[0] - 1)
        edits = cache[:, slots["hidden"]]
        anchor = self.item(position, hidden, edits)
        if config.decoder == "analogical":
            x = cache[:, slots["read"]][step] + anchor
        else:
            x = network.content_input(anchor, network.embed(past[:, 0])[step], edits[step])
            if config.seek:
                sought = cache[:, slots["sought"]][step].unflatten(-1, (config.seek, VECTOR))
                beside = around(given["vectors"], self._site(position, past, tokens))
                profile = torch.matmul(beside, sought.transpose(-1, -2))
                x = x + network.seek.profile(profile.flatten(-2))
            for layer in range(config.content_layers):
                block, name = network.content_blocks[layer], f"content{layer}"
                query = block.query(x, step)
                if config.decoder == "edits":
                    x = self._over_edits(block, x, query, cache[:, slots[name]])
                else:
                    x, _ = self.self_attend(block, x, query, query, cache[1:, slots[name]])
        logits = network.content_logits(x, position)
        if not config.copy:
            return torch.log_softmax(logits.float(), -1).squeeze(0)
        contents = past[1:, 0]
        copyable = torch.cat(
            [torch.ones_like(tokens, dtype=torch.bool), (contents != DELETE) & (contents != SAVE)]
        )
        query = network.copy.query_of(x)

        def against_items(query: Tensor) -> Tensor:
            products = [self.against_keys(query, hidden), self.against_keys(query, edits)[:, 1:]]
            return torch.cat(products, 1)

        scores = against_items(query)
        if config.asked:
            site = self._site(position, past, tokens)
            ago = torch.arange(contents.shape[0] - 1, -1, -1, device=site.device).unsqueeze(0)
            scores = scores + network.copy.nearness(x, site, tokens.shape[0], ago)
        weights = network.copy.weights(x, scores, copyable.unsqueeze(0))
        every = torch.cat([tokens, contents])
        if not config.spans:
            return mix(logits, weights, every).squeeze(0)
        together = (past[1:, 1] == past[:-1, 1]).unsqueeze(0)
        room = room_of(copyable.unsqueeze(0), tokens.shape[0], together)
        products = [against_items(one) for one in network.spans.queries(x)]
        spans, shut, first = network.spans(x, products, room.squeeze(0), copyable.unsqueeze(0))
        _, weights = beside_spans(weights, shut, first)
        lengths = [spans.of_length(length) for length in range(2, LONGEST + 1)]
        copied = torch.log(torch.cat(lengths) + 1e-30) + spans.gate
        return mix(logits, weights, every).squeeze(0), copied, spans.deletes.squeeze(0)

    def _site(self, position: Tensor, past: Tensor, tokens: Tensor) -> Tensor:
        """The token of the state that an item (1,) hangs from."""
        size = tokens.shape[0]
        of_edit = past[:, 1].index_select(0, (position - size + 1).clamp(min=0))
        return torch.where(position < size, position, of_edit)

    def _over_edits(self, block: Block, x: Tensor, query: Tensor, rows: Tensor) -> Tensor:
        """Attention over the edits so far, whose keys and values are `rows` (t + 1, 2D)."""
        k, v = (split_heads(part, block.heads) for part in rows.chunk(2, -1))
        last = torch.full_like(rows[:1, 0], rows.shape[0] - 1, dtype=torch.long)
        return block(x, query, k, v, offset=_ago(rows, last).clamp(0, 127))
