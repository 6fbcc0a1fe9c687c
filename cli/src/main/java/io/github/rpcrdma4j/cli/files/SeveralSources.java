package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.copy.MadeCopies;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The sources of one command that go into one directory. As with cp, a second file of one name does
 * not replace the copy of the first.
 */
final class SeveralSources {
    private final Set<FileName> repeated = new HashSet<>();
    private final boolean merges;
    private final MadeCopies made = new MadeCopies();

    /**
     * Creates the record of a command that has made no copies yet.
     *
     * @param names under which sources are copied
     * @param count how many sources there are. Those without a name are merged into the target,
     *     where their files may have the names of others
     */
    SeveralSources(List<FileName> names, int count) {
        this.merges = count > 1 && names.size() < count;
        var seen = new HashSet<FileName>();
        names.stream().filter(each -> !seen.add(each)).forEach(repeated::add);
    }

    /** Returns the record of the copies of single files. */
    MadeCopies files() {
        return made;
    }

    /**
     * Returns the record of the copies in a tree. It needs memory for each file, so there is none
     * if only one source has this name.
     */
    Optional<MadeCopies> tree(FileName name) {
        return merges || repeated.contains(name) ? Optional.of(made) : Optional.empty();
    }
}
