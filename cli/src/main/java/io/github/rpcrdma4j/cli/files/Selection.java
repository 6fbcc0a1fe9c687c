package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.cli.files.ListedFiles.Membership;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.StandardStream;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Filter;
import io.github.rpcrdma4j.nfs.client.copy.LocalPlace;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that choose files of a tree, and that try or resume a copy.
 *
 * <p>Tests: {@code SelectedCopiesTest}, {@code FilesFromTest}.
 */
final class Selection {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** What --include and --exclude say, in the order of the command line. */
    private final List<FilterRule> filterRules = new ArrayList<>();

    @Option(
            names = "--files-from",
            paramLabel = "FILE",
            description =
                    "Copy only the files whose names FILE has, one on each line; - is standard"
                            + " input. The names are relative to SOURCE, a directory, and go into"
                            + " TARGET with the directories above them. Of a listed directory,"
                            + " what is in it is copied if a slash is behind its name, and all"
                            + " below with -r. Lines that begin with # or ; do not count.")
    private String list;

    @Option(
            names = {"-0", "--from0"},
            description = "With --files-from, a zero byte ends each name.")
    private boolean hasZeros;

    /** What --files-from lists; null without it. */
    private ListedFiles listed;

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

    /** Returns whether there is a list of files. */
    boolean hasList() {
        return list != null;
    }

    /**
     * Reads the list of files, if there is one.
     *
     * @param sources how many sources the user gave
     * @param isRecursive whether all below listed directories is copied
     * @throws IllegalArgumentException if the options make no sense
     */
    void readList(int sources, boolean isRecursive) throws IOException {
        if (list == null) {
            if (hasZeros) {
                throw new IllegalArgumentException("-0 makes sense with --files-from only");
            }
            return;
        }
        requireOneSource(sources);
        byte[] names;
        if (list.equals("-")) {
            // With a closed standard input, Java would read a file of its own.
            names = Channels.newInputStream(StandardStream.input()).readAllBytes();
        } else {
            names = Files.readAllBytes(RawArguments.file(list));
        }
        listed = ListedFiles.parse(names, hasZeros, isRecursive);
    }

    /**
     * Refuses several sources if there is a list.
     *
     * @throws IllegalArgumentException if there are
     */
    void requireOneSource(int sources) {
        if (list != null && sources != 1) {
            throw new IllegalArgumentException("--files-from names files of one SOURCE");
        }
    }

    /**
     * Returns the rules of a copy.
     *
     * @throws IllegalArgumentException if the options exclude each other
     */
    CopyRules rules(Comparison comparison, Deletion deletion) {
        if (list != null && !deletion.equals(new Deletion.Nothing())) {
            throw new IllegalArgumentException("--delete and --files-from exclude each other");
        }
        var filter =
                filterRules.isEmpty() && listed == null ? CopyRules.ALL : (Filter) this::selects;
        boolean leavesTop = listed != null && !listed.hasTop();
        boolean isSync = comparison != Comparison.NONE;
        return new CopyRules(filter, comparison, deletion, isTrial, isSync, leavesTop);
    }

    /** As with rsync, no pattern leaves out a directory that leads to a listed file. */
    private boolean selects(PathName path, FileType type) {
        var membership = listed == null ? Membership.LISTED : listed.membership(path, type);
        return switch (membership) {
            case NONE -> false;
            case ABOVE -> true;
            case LISTED ->
                    FilterRule.selects(filterRules, path, type)
                            || listed != null && type == FileType.DIRECTORY && listed.leads(path);
        };
    }

    /** Looks for the listed files in a local source. */
    void findListed(LocalPlace source, String shown) throws IOException, InterruptedException {
        if (listed == null) {
            return;
        }
        var what = "cannot read " + shown;
        var tree =
                new ListedFiles.Tree<LocalPlace>() {
                    @Override
                    public Optional<LocalPlace> find(LocalPlace directory, FileName name)
                            throws IOException {
                        var file = directory.child(name);
                        return file.type(what).map(_ -> file);
                    }

                    @Override
                    public FileType type(LocalPlace file) throws IOException {
                        return file.type(what).orElse(FileType.REGULAR);
                    }
                };
        listed.find(source, tree, 1, patterns());
    }

    private Filter patterns() {
        return filterRules.isEmpty()
                ? CopyRules.ALL
                : (path, type) -> FilterRule.selects(filterRules, path, type);
    }

    /**
     * Looks for the listed files in a source on a server.
     *
     * @param beside how many of them at a time, at most
     */
    void findListed(NfsMount mount, RemoteFile source, int beside)
            throws IOException, InterruptedException {
        if (listed == null) {
            return;
        }
        var tree =
                new ListedFiles.Tree<RemoteFile>() {
                    @Override
                    public Optional<RemoteFile> find(RemoteFile directory, FileName name)
                            throws IOException, InterruptedException {
                        try {
                            return Optional.of(
                                    mount.lookup(new RemotePlace(directory.handle(), name)));
                        } catch (NfsException missing) {
                            if (missing.status() == Status.NOENT) {
                                return Optional.empty();
                            }
                            throw missing;
                        }
                    }

                    @Override
                    public FileType type(RemoteFile file) {
                        return file.attributes().type();
                    }
                };
        listed.find(source, tree, beside, patterns());
    }

    /** Reports the listed files that the source does not have. */
    void reportMissing(Copies copies, String source) {
        if (listed == null) {
            return;
        }
        var above = "cannot read " + source + (source.endsWith("/") ? "" : "/");
        for (var each : listed.missing()) {
            copies.failed(new IOException(above + each.escaped() + ": no such file or directory"));
        }
    }

    /** Returns the rules of a copy that replaces what is there. */
    CopyRules rules() {
        return rules(Comparison.NONE, new Deletion.Nothing());
    }
}
