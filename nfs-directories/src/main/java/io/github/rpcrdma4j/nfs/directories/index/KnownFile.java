package io.github.rpcrdma4j.nfs.directories.index;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.ArrayDeque;

/**
 * A file with its remembered names; the root has none. A directory also counts the remembered names
 * in it. Guarded by the lock of the index.
 */
final class KnownFile<K> {
    /**
     * A name in a directory.
     *
     * @param parent the directory that contains the name
     */
    record Name<K>(KnownFile<K> parent, FileName name) {
        boolean is(KnownFile<K> directory, FileName other) {
            return parent == directory && name.equals(other);
        }
    }

    final K key;
    boolean isDirectory;

    /**
     * The number of remembered names in this directory, plus one for each time that a walk still
     * has to list it.
     */
    int children;

    /** The name that is tried first; null for the root. */
    private Name<K> name;

    /** Further names, the most recently seen first; null if there are none. */
    private ArrayDeque<Name<K>> others;

    /** Makes the root. */
    KnownFile(K key) {
        this.key = key;
        this.isDirectory = true;
    }

    KnownFile(K key, boolean isDirectory, KnownFile<K> parent, FileName name) {
        this.key = key;
        this.isDirectory = isDirectory;
        this.name = new Name<>(parent, name);
        parent.children++;
    }

    /** Returns the name that is tried first; null for the root. */
    Name<K> name() {
        return name;
    }

    /** Returns the number of names besides the one that is tried first. */
    int otherNames() {
        return others == null ? 0 : others.size();
    }

    /** Returns whether this is that directory or lies below it. */
    boolean isBelow(KnownFile<K> directory) {
        for (var each = this; each.name != null; each = each.name.parent) {
            if (each == directory) {
                return true;
            }
        }
        return false;
    }

    /** Replaces all names of a directory by one name. */
    void move(KnownFile<K> parent, FileName to) {
        forgetNames();
        name = new Name<>(parent, to);
        parent.children++;
    }

    /** Adds a name unless it is known, and makes it the one that is tried first. */
    void addName(KnownFile<K> parent, FileName added) {
        forgetOther(parent, added);
        if (others == null) {
            others = new ArrayDeque<>(1);
        }
        others.addFirst(name);
        name = new Name<>(parent, added);
        parent.children++;
    }

    /** Removes a name that is not the one that is tried first. Returns false if it is unknown. */
    boolean forgetOther(KnownFile<K> parent, FileName other) {
        boolean known = others != null && others.removeIf(each -> each.is(parent, other));
        if (known) {
            parent.children--;
        }
        return known;
    }

    /** Removes the name that would be tried last. */
    void forgetLastName() {
        others.removeLast().parent.children--;
    }

    /**
     * Removes the name that is tried first, so that the next one takes its place. Keeps it and
     * returns false if there is no other.
     */
    boolean dropFirstName() {
        if (otherNames() == 0) {
            return false;
        }
        name.parent.children--;
        name = others.removeFirst();
        return true;
    }

    /** Removes all names, because the file is at none of them. */
    void forgetNames() {
        while (otherNames() > 0) {
            forgetLastName();
        }
        others = null;
        name.parent.children--;
    }
}
