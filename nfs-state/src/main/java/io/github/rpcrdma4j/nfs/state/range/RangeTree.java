package io.github.rpcrdma4j.nfs.state.range;

import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Ranges that may overlap, in the order of their first bytes: a treap in which each node knows how
 * far the ranges below it reach, of one owner and of the others. Each operation takes time in the
 * logarithm of their number.
 *
 * <p>Tests: {@code RangeLocksTest}.
 */
final class RangeTree<O> {
    private RangeNode<O> root;
    private long steps;

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

    /**
     * Returns the first range of another owner that overlaps, or null.
     *
     * @param own the ranges of the owner; null if it has none
     */
    RangeNode<O> overlapOfOther(TreeMap<Long, RangeNode<O>> own, ByteRange range) {
        long at = range.first();
        var tree = root;
        while (tree != null && tree.hasOtherFrom(at, own)) {
            steps++;
            if (tree.left != null && tree.left.hasOtherFrom(at, own)) {
                tree = tree.left;
            } else if (tree.own != own && Long.compareUnsigned(tree.last(), at) >= 0) {
                // The first that does not end before the range. If it begins behind, so do all.
                return tree.lock.range().overlaps(range) ? tree : null;
            } else {
                tree = tree.right;
            }
        }
        return null;
    }

    /** Returns how many nodes {@link #overlapOfOther} has looked at so far. */
    long steps() {
        return steps;
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
                reach = larger(reach, tree.left.reach());
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
