package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.CopyRules;
import io.github.rpcrdma4j.nfs.client.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that choose files of a tree, and that try or resume a copy. */
final class Selection {
    @Option(
            names = "--exclude",
            paramLabel = "PATTERN",
            description =
                    "Leave out files of such names, and all below such directories: *.o, .git. With"
                            + " a slash at its start it is a path from the top of the tree: /build."
                            + " With one inside it is the end of a path: doc/*.html, a/**/b. With"
                            + " one at its end it matches directories alone.")
    private List<String> excluded = List.of();

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

    /**
     * One pattern.
     *
     * @param part of a path that it matches
     * @param isDirectory whether it matches directories alone
     */
    private record Exclusion(NamePattern pattern, Part part, boolean isDirectory) {
        /** What a pattern matches. */
        private enum Part {
            NAME,
            /** The last names of a path, however many. */
            END,
            WHOLE
        }

        static Exclusion parse(String text) {
            boolean isDirectory = text.endsWith("/");
            var bare = isDirectory ? text.substring(0, text.length() - 1) : text;
            boolean isWhole = bare.startsWith("/");
            var pattern = NamePattern.parse(isWhole ? bare.substring(1) : bare);
            var part = isWhole ? Part.WHOLE : bare.contains("/") ? Part.END : Part.NAME;
            return new Exclusion(pattern, part, isDirectory);
        }

        boolean matches(PathName path, FileType type) {
            if (isDirectory && type != FileType.DIRECTORY) {
                return false;
            }
            return switch (part) {
                case NAME -> pattern.matches(path.names().getLast());
                case END -> matchesEnd(path.names());
                case WHOLE -> pattern.matches(path);
            };
        }

        private boolean matchesEnd(List<FileName> names) {
            var end = new PathName(names.getLast().bytes());
            for (int i = names.size() - 2; i >= 0; i--) {
                var longer = new PathName(names.get(i).bytes());
                for (var each : end.names()) {
                    longer = longer.resolve(each);
                }
                end = longer;
                if (pattern.matches(end)) {
                    return true;
                }
            }
            return false;
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

    /**
     * Returns the rules of a copy.
     *
     * @throws IllegalArgumentException if a pattern is malformed; the message tells a user why
     */
    CopyRules rules(Comparison comparison, Deletion deletion) {
        var exclusions = excluded.stream().map(Exclusion::parse).toList();
        CopyRules.Filter filter =
                exclusions.isEmpty()
                        ? CopyRules.ALL
                        : (path, type) ->
                                exclusions.stream().noneMatch(each -> each.matches(path, type));
        return new CopyRules(filter, comparison, deletion, isTrial);
    }

    /** Returns the rules of a copy that replaces what is there. */
    CopyRules rules() {
        return rules(Comparison.NONE, new Deletion.Nothing());
    }
}
