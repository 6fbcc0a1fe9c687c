package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.CopyRules;
import io.github.rpcrdma4j.nfs.client.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.CopyRules.Deletion;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that choose files of a tree, and that try or resume a copy. */
final class Selection {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** What --include and --exclude say, in the order of the command line. */
    private final List<FilterRule> filterRules = new ArrayList<>();

    @Option(
            names = {"-n", "--dry-run"},
            description = "Change nothing; print what would be done.")
    private boolean isTrial;

    @Option(
            names = "--resume",
            description =
                    "Keep what is copied of a large file if the copy is cut, and go on from there the"
                            + " next time, if the source is unchanged. Without it, the next copy"
                            + " removes such files.")
    private boolean resumes;

    @Option(
            names = "--exclude",
            paramLabel = "PATTERN",
            description =
                    "Leave out files of such names, and all below such directories: *.o, .git. With"
                            + " a slash at its start it is a path from the top of the tree: /build."
                            + " With one inside it is the end of a path: doc/*.html, a/**/b. With"
                            + " one at its end it matches directories alone.")
    private void setExcluded(List<String> patterns) {
        add(false, patterns);
    }

    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description =
                    "Do not leave out files of such names, even if a later --exclude says so. Of both"
                            + " options, the first whose pattern matches a file decides: --include"
                            + " '*/' --include '*.jpg' --exclude '*'.")
    private void setIncluded(List<String> patterns) {
        add(true, patterns);
    }

    /**
     * Adds the last of the patterns. Each time that an option stands on the command line, its
     * setter receives all of its patterns so far.
     *
     * @throws ParameterException if it is malformed; the message tells a user why
     */
    private void add(boolean includes, List<String> patterns) {
        long known = filterRules.stream().filter(each -> each.includes() == includes).count();
        try {
            patterns.stream()
                    .skip(known)
                    .map(each -> FilterRule.parse(includes, each))
                    .forEach(filterRules::add);
        } catch (IllegalArgumentException malformed) {
            throw new ParameterException(command.commandLine(), malformed.getMessage(), malformed);
        }
    }

    /**
     * Returns how copies are made.
     *
     * @throws IllegalArgumentException if the options exclude each other
     */
    Transfer.Mode mode() {
        if (isTrial && resumes) {
            throw new IllegalArgumentException("--dry-run and --resume exclude each other");
        }
        if (isTrial) {
            return Transfer.Mode.TRIAL;
        }
        return resumes ? Transfer.Mode.RESUMED : Transfer.Mode.USUAL;
    }

    /** Returns the rules of a copy. */
    CopyRules rules(Comparison comparison, Deletion deletion) {
        CopyRules.Filter filter =
                filterRules.isEmpty()
                        ? CopyRules.ALL
                        : (path, type) -> FilterRule.selects(filterRules, path, type);
        return new CopyRules(filter, comparison, deletion, isTrial);
    }

    /** Returns the rules of a copy that replaces what is there. */
    CopyRules rules() {
        return rules(Comparison.NONE, new Deletion.Nothing());
    }
}
