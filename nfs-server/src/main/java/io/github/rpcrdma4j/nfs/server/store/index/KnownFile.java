package io.github.rpcrdma4j.nfs.server.store.index;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.ArrayDeque;

/**
 * A file by the names of it that are remembered; the root has none. A directory counts what is
 * remembered in it. Guarded by the index.
 */
final class KnownFile<K> {
    /**
     * A name in a directory.
     *
     * @param parent the directory
     */
    record Name<K>(KnownFile<K> parent, FileName name) {
        boolean is(KnownFile<K> directory, FileName other) {
            return parent == directory && name.equals(other);
        }
    }

    final K key;
    boolean isDirectory;

    /** How many names are known in it, and whether a walk is to list it. */
    int children;

    /** The name that is tried first; null for the root. */
    private Name<K> name;

    /** Further names, the one that was seen last in front; null if there are none. */
    private ArrayDeque<Name<K>> others;

    /** The root. */
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

    /** The name that is tried first; null for the root. */
    Name<K> name() {
        return name;
    }

    /** How many names there are besides the one that is tried first. */
    int otherNames() {
        return others == null ? 0 : others.size();
    }

    /** Whether it is that directory, or lies below it. */
    boolean isBelow(KnownFile<K> directory) {
        for (var each = this; each.name != null; each = each.name.parent) {
            if (each == directory) {
                return true;
            }
        }
        return false;
    }

    /** Gives a directory its only name. */
    void move(KnownFile<K> parent, FileName to) {
        forgetNames();
        name = new Name<>(parent, to);
        parent.children++;
    }

    /** Adds a name, or finds it; it is tried first from now on. */
    void addName(KnownFile<K> parent, FileName added) {
        forgetOther(parent, added);
        if (others == null) {
            others = new ArrayDeque<>(1);
        }
        others.addFirst(name);
        name = new Name<>(parent, added);
        parent.children++;
    }

    /** Forgets a name that is not tried first; false if it is not one of them. */
    boolean forgetOther(KnownFile<K> parent, FileName other) {
        boolean known = others != null && others.removeIf(each -> each.is(parent, other));
        if (known) {
            parent.children--;
        }
        return known;
    }

    /** Forgets the name that would be tried last. */
    void forgetLastName() {
        others.removeLast().parent.children--;
    }

    /** Forgets the name that is tried first; false, and it stays, if there is no other. */
    boolean useNextName() {
        if (otherNames() == 0) {
            return false;
        }
        name.parent.children--;
        name = others.removeFirst();
        return true;
    }

    /** Forgets all names: the file is not where it was. */
    void forgetNames() {
        while (otherNames() > 0) {
            forgetLastName();
        }
        others = null;
        name.parent.children--;
    }
}
