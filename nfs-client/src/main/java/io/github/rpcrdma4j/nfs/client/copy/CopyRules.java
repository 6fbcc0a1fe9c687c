package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import java.util.List;
import java.util.Set;

/**
 * Which files of a tree are copied, and what else happens to the target. Immutable.
 *
 * @param filter selects the files
 * @param comparison finds files whose copy exists already
 * @param deletion which files of the target that the source does not have are removed. Files that
 *     the filter leaves out stay, and so does everything in a directory in which a file could not
 *     be read or copied
 * @param isTrial whether nothing is changed; the listener receives what would be done
 * @param replacesOtherTypes whether a copy replaces a file of another type below the top: a
 *     directory replaces any file, and a file replaces a directory that is empty, or from which
 *     {@code deletion} removes everything
 * @param leavesTop whether the directory at the top of the tree gives its copy no attributes, even
 *     if the others do. A new one has those that any new directory of this user has
 */
public record CopyRules(
        Filter filter,
        Comparison comparison,
        Deletion deletion,
        boolean isTrial,
        boolean replacesOtherTypes,
        boolean leavesTop) {
    /** Selects all files. */
    public static final Filter ALL = (_, _) -> true;

    /** Copies all files, and removes none. */
    public static final CopyRules EVERYTHING =
            new CopyRules(ALL, Comparison.NONE, new Deletion.Nothing(), false, false, false);

    /** Selects files of a tree. */
    public interface Filter {
        /**
         * Returns whether a file belongs to the tree. Anything below a directory that does not is
         * left out too.
         *
         * @param path from the top of the tree, without a slash at its start
         */
        boolean wants(PathName path, FileType type);
    }

    /** How to find out that a copy exists already. */
    public enum Comparison {
        /** It is made again. */
        NONE,
        /** By size and modification time. Copies have to keep times for that. */
        SIZE_AND_TIME,
        /** By contents, which are read on both sides. */
        CONTENTS
    }

    /** Which files of the target are removed, of those that the source does not have. */
    public sealed interface Deletion {
        /** None of them. */
        record Nothing() implements Deletion {}

        /** All of them. */
        record Everything() implements Deletion {}

        /**
         * Some of them.
         *
         * @param paths as {@link CopyListener#planned} receives them in a trial. A directory is
         *     removed only if nothing is left in it
         */
        record Only(Set<String> paths) implements Deletion {}
    }

    /** Returns these rules with another filter. */
    public CopyRules withFilter(Filter other) {
        return new CopyRules(other, comparison, deletion, isTrial, replacesOtherTypes, leavesTop);
    }

    /** Returns these rules with another choice of the files to remove. */
    public CopyRules withDeletion(Deletion other) {
        return new CopyRules(filter, comparison, other, isTrial, replacesOtherTypes, leavesTop);
    }

    /** Returns whether files of the target are removed at all. */
    boolean deletes() {
        return switch (deletion) {
            case Deletion.Nothing() -> false;
            case Deletion.Everything(), Deletion.Only _ -> true;
        };
    }

    /** Returns whether a copy may remove something for which it was not asked by name. */
    boolean mayRemove() {
        return deletes() || replacesOtherTypes;
    }

    /** Returns whether a file of the target is removed if the source does not have it. */
    boolean removes(String path) {
        return switch (deletion) {
            case Deletion.Nothing() -> false;
            case Deletion.Everything() -> true;
            case Deletion.Only(var paths) -> paths.contains(path);
        };
    }

    /**
     * Returns whether the copy of a directory gets no attributes.
     *
     * @param depth how many names of a path the top stands for
     */
    boolean leaves(LocalPath directory, int depth) {
        return leavesTop && directory.depth() == depth;
    }

    /**
     * Returns whether the copy of a file of another type may replace a file, which is never the
     * top.
     *
     * @param depth how many names of the path the top stands for
     * @param type that of the replaced file
     */
    boolean replaces(LocalPath file, int depth, FileType type) {
        return replacesOtherTypes && file.depth() != depth && wants(file, depth, type);
    }

    /**
     * Returns whether a file of a local tree, or its copy there, belongs to the tree.
     *
     * @param depth how many names of the path the top stands for
     */
    boolean wants(LocalPath file, int depth, FileType type) {
        return filter == ALL || wants(file.names().subList(depth, file.depth()), type);
    }

    private boolean wants(List<FileName> names, FileType type) {
        return names.isEmpty() || filter.wants(new PathName(new byte[0]).resolve(names), type);
    }
}
