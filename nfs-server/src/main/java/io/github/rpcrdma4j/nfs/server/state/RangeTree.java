package io.github.rpcrdma4j.nfs.server.state;

import java.util.OptionalLong;

/**
 * Ranges that may overlap, in the order of their first bytes: a treap in which each node knows how
 * far the ranges below it reach. Each operation takes time in the logarithm of their number.
 */
final class RangeTree<O> {
    private RangeNode<O> root;

    void add(RangeNode<O> node) {
        node.left = null;
        node.right = null;
        node.update();
        root = inserted(root, node);
    }

    private RangeNode<O> inserted(RangeNode<O> tree, RangeNode<O> node) {
        if (tree == null) {
            return node;
        }
        if (node.priority > tree.priority) {
            split(tree, node);
            node.update();
            return node;
        }
        if (node.isBefore(tree)) {
            tree.left = inserted(tree.left, node);
        } else {
            tree.right = inserted(tree.right, node);
        }
        tree.update();
        return tree;
    }

    /** Divides a tree into what comes before a node and what comes after it, below that node. */
    private void split(RangeNode<O> tree, RangeNode<O> node) {
        if (tree == null) {
            node.left = null;
            node.right = null;
        } else if (tree.isBefore(node)) {
            split(tree.right, node);
            tree.right = node.left;
            tree.update();
            node.left = tree;
        } else {
            split(tree.left, node);
            tree.left = node.right;
            tree.update();
            node.right = tree;
        }
    }

    void remove(RangeNode<O> node) {
        root = removed(root, node);
    }

    private RangeNode<O> removed(RangeNode<O> tree, RangeNode<O> node) {
        if (tree == node) {
            return merged(node.left, node.right);
        }
        if (node.isBefore(tree)) {
            tree.left = removed(tree.left, node);
        } else {
            tree.right = removed(tree.right, node);
        }
        tree.update();
        return tree;
    }

    private RangeNode<O> merged(RangeNode<O> lower, RangeNode<O> upper) {
        if (lower == null || upper == null) {
            return lower == null ? upper : lower;
        }
        if (lower.priority > upper.priority) {
            lower.right = merged(lower.right, upper);
            lower.update();
            return lower;
        }
        upper.left = merged(lower, upper.left);
        upper.update();
        return upper;
    }

    /** Returns the first range of another owner that overlaps, or null. */
    RangeNode<O> overlapOfOther(O owner, ByteRange range) {
        return overlapOfOther(root, owner, range);
    }

    private RangeNode<O> overlapOfOther(RangeNode<O> tree, O owner, ByteRange range) {
        if (tree == null || Long.compareUnsigned(tree.reach, range.first()) < 0) {
            return null;
        }
        var found = overlapOfOther(tree.left, owner, range);
        if (found != null || Long.compareUnsigned(tree.first(), range.last()) > 0) {
            return found;
        }
        if (tree.lock.range().overlaps(range) && !tree.lock.owner().equals(owner)) {
            return tree;
        }
        return overlapOfOther(tree.right, owner, range);
    }

    /** Returns the largest last byte of the ranges that begin at a byte or before it. */
    OptionalLong reachFrom(long at) {
        boolean isFound = false;
        long reach = 0;
        for (var tree = root; tree != null; ) {
            if (Long.compareUnsigned(tree.first(), at) > 0) {
                tree = tree.left;
                continue;
            }
            isFound = true;
            reach = larger(reach, tree.last());
            if (tree.left != null) {
                reach = larger(reach, tree.left.reach);
            }
            tree = tree.right;
        }
        return isFound ? OptionalLong.of(reach) : OptionalLong.empty();
    }

    private static long larger(long one, long other) {
        return Long.compareUnsigned(one, other) < 0 ? other : one;
    }

    /** Returns the first byte of the next range that begins behind a byte. */
    OptionalLong nextAfter(long at) {
        var next = OptionalLong.empty();
        for (var tree = root; tree != null; ) {
            if (Long.compareUnsigned(tree.first(), at) > 0) {
                next = OptionalLong.of(tree.first());
                tree = tree.left;
            } else {
                tree = tree.right;
            }
        }
        return next;
    }
}
