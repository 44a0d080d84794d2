# Scaled dot product and multi-head attention (as in tutorials on attention from scratch).
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d_k = q.size()[-1]
    attn_logits = torch.matmul(q, k.transpose(-2, -1))
    attn_logits = attn_logits / math.sqrt(d_k)
    if mask is not None:
        attn_logits = attn_logits.masked_fill(mask == 0, -9e15)
    attention = F.softmax(attn_logits, dim=-1)
    values = torch.matmul(attention, v)
    return values, attention


class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        assert embed_dim % num_heads == 0, "Embedding dimension must be 0 modulo number of heads."

        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads

        # Stack all weight matrices 1...h together for efficiency
        # Note that in many implementations you see "bias=False" which is optional
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)

        self._reset_parameters()

    def _reset_parameters(self):
        # Original Transformer initialization, see PyTorch documentation
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        self.qkv_proj.bias.data.fill_(0)
        nn.init.xavier_uniform_(self.o_proj.weight)
        self.o_proj.bias.data.fill_(0)

    def forward(self, x, mask=None, return_attention=False):
        batch_size, seq_length, _ = x.size()
        qkv = self.qkv_proj(x)

        # Separate Q, K, V from linear output
        qkv = qkv.reshape(batch_size, seq_length, self.num_heads, 3 * self.head_dim)
        qkv = qkv.permute(0, 2, 1, 3)  # [Batch, Head, SeqLen, Dims]
        q, k, v = qkv.chunk(3, dim=-1)

        # Determine value outputs
        values, attention = scaled_dot_product(q, k, v, mask=mask)
        values = values.permute(0, 2, 1, 3)  # [Batch, SeqLen, Head, Dims]
        values = values.reshape(batch_size, seq_length, self.embed_dim)
        o = self.o_proj(values)

        if return_attention:
            return o, attention
        else:
            return o


seq_len, d_k = 3, 2
q = torch.arange(6).float().view(seq_len, d_k).sin()
k = torch.arange(6).float().view(seq_len, d_k).cos()
v = torch.arange(6).float().view(seq_len, d_k)
values, attention = scaled_dot_product(q, k, v)
print("Values\n", values)
print("Attention\n", attention)

mask = torch.tril(torch.ones(seq_len, seq_len))
values, attention = scaled_dot_product(q, k, v, mask)
print("Masked\n", attention)
builtin = F.scaled_dot_product_attention(q, k, v, is_causal=True)
print(torch.allclose(values, builtin, atol=1e-6))

mha = MultiheadAttention(8, 16, 4)
print(mha.qkv_proj.bias.sum().item(), mha.qkv_proj.weight.abs().max().item() < 0.33)
mha.load_state_dict(torch.load("data/mha.pt", weights_only=True))
x = torch.arange(2 * 5 * 8).float().view(2, 5, 8).sin()
out, attention = mha(x, mask=torch.tril(torch.ones(5, 5)), return_attention=True)
print(out.shape, attention.shape)
print(out[0, :2], attention[1, 0])
print(mha(x).mean().item())

layer = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
layer.load_state_dict(torch.load("data/mha_builtin.pt", weights_only=True))
attn_output, attn_output_weights = layer(x, x, x)
print(attn_output[0, 0])
print(attn_output_weights[0, 0])
