package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.List;

/**
 * Which files of a tree are copied, and what else happens to the target. Immutable.
 *
 * @param filter selects the files
 * @param comparison finds files whose copy exists already
 * @param deletes whether files of the target that the source does not have are removed. Files that
 *     the filter leaves out stay, and so does everything in a directory in which something failed
 * @param isTrial whether nothing is changed; the listener receives what would be done
 */
public record CopyRules(Filter filter, Comparison comparison, boolean deletes, boolean isTrial) {
    /** Selects all files. */
    public static final Filter ALL = (_, _) -> true;

    /** Copies all files, and removes none. */
    public static final CopyRules EVERYTHING = new CopyRules(ALL, Comparison.NONE, false, false);

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

    /** Returns these rules with another filter. */
    public CopyRules withFilter(Filter other) {
        return new CopyRules(other, comparison, deletes, isTrial);
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
        var path = new PathName(new byte[0]);
        for (var each : names) {
            path = path.resolve(each);
        }
        return names.isEmpty() || filter.wants(path, type);
    }
}
