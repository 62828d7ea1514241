/**
 * @file What gradients cost: input gradient and weight gradients over the forward pass, and the forward pass over the
 * machine's own matrix product. Other work may share the cores, so runs alternate and ratios are of medians.
 *
 *     npx jiti bench/gradient.ts [small] [base]
 */

