package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: the rules of CONTRIBUTING.md hold everywhere. Method: read every file. */
class TidyTest {
    private static final int FILE_LINES_MAX = 500;
    private static final int METHOD_LINES_MAX = 70;

    /**
     * The first line of a method in the layout of the formatter: indented, and not a statement. If
     * the parameters are on the next lines, the type before the name distinguishes it from a call.
     */
    private static final Pattern METHOD =
            Pattern.compile(
                    "^( {4}| {8})(?!(return|if|for|while|switch|try|else|case|new|throw)\\b)"
                            + "([\\w<@][^=;]*\\([^=;]*\\)( throws [^;]+)? \\{"
                            + "|([\\w<][^=;(]* \\w+|[A-Z]\\w*)\\()$");

    private static final Pattern BAD_TYPE_NAME =
            Pattern.compile(
                    "\\b(class|interface|record|enum) \\w*(Impl|Util|Utils|Helper|Manager)\\b");
    private static final Pattern GETTER =
            Pattern.compile("^ +public (?!static)[\\w<>\\[\\], ]+ get[A-Z]\\w*\\(\\)");
    private static final Pattern LEFT_OPEN =
            Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b|@Dis" + "abled");
    private static final Pattern SLEEP = Pattern.compile("Thread\\.sl" + "eep");
    private static final Pattern SPIN = Pattern.compile("onSpin" + "Wait");
    private static final Pattern PRINTS =
            Pattern.compile("System\\.(out|err)\\b|\\.printStackTrace\\(\\)");
    private static final Pattern MACHINE_PATH =
            Pattern.compile("(^|[\\s\"'=(:])/(ho" + "me|wo" + "rk|ro" + "ot|Us" + "ers)/\\w");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)");

    private static List<String> offences(List<Path> files, Predicate<String> isOffence) {
        var offences = new ArrayList<String>();
        for (var file : files) {
            int number = 0;
            for (var line : ProjectTree.lines(file)) {
                number++;
                if (isOffence.test(line)) {
                    offences.add(ProjectTree.name(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        return offences;
    }

    private static void requireNone(String what, List<String> offences) {
        assertTrue(offences.isEmpty(), () -> what + ":\n" + String.join("\n", offences));
    }

    @Test
    void findsTheProject() {
        assertTrue(ProjectTree.mainSources().size() > 100, "main sources were found");
    }

    @Test
    void keepsFilesShort() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.sources()) {
            int lines = ProjectTree.lines(file).size();
            if (lines > FILE_LINES_MAX && file.toString().contains("/src/main/java/")) {
                offences.add(ProjectTree.name(file) + ": " + lines + " lines");
            }
        }
        requireNone("cut these by role, no file has more than 500 lines", offences);
    }

    @Test
    void keepsMethodsShort() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.mainSources()) {
            longMethods(file, offences);
        }
        requireNone("cut these, no method has more than 70 lines", offences);
    }

    private static void longMethods(Path file, List<String> offences) {
        var lines = ProjectTree.lines(file);
        for (int start = 0; start < lines.size(); start++) {
            var line = lines.get(start);
            if (!METHOD.matcher(line).find()
                    || line.contains(" class ")
                    || line.contains(" record ")
                    || !hasBody(lines.subList(start, lines.size()))) {
                continue;
            }
            var end = line.substring(0, line.length() - line.stripLeading().length()) + "}";
            for (int at = start + 1; at < lines.size(); at++) {
                if (lines.get(at).equals(end)) {
                    if (at - start + 1 > METHOD_LINES_MAX) {
                        offences.add(
                                ProjectTree.name(file)
                                        + ":"
                                        + (start + 1)
                                        + ": "
                                        + (at - start + 1)
                                        + " lines");
                    }
                    break;
                }
            }
        }
    }

    /**
     * Returns whether a line ends with an opening brace before a statement or a constant of an
     * enumeration ends.
     */
    private static boolean hasBody(List<String> lines) {
        return lines.stream()
                .filter(line -> line.endsWith("{") || line.endsWith("),") || line.endsWith(";"))
                .findFirst()
                .filter(line -> line.endsWith("{"))
                .isPresent();
    }

    @Test
    void namesTypesByWhatTheyAre() {
        requireNone(
                "name these by their role",
                offences(ProjectTree.sources(), line -> BAD_TYPE_NAME.matcher(line).find()));
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.mainSources()) {
            var lines = ProjectTree.lines(file);
            for (int i = 1; i < lines.size(); i++) {
                // Types of the JDK name theirs otherwise.
                boolean isGiven = lines.get(i - 1).strip().equals("@Override");
                if (!isGiven && GETTER.matcher(lines.get(i)).find()) {
                    offences.add(ProjectTree.name(file) + ":" + (i + 1) + ": " + lines.get(i));
                }
            }
        }
        requireNone("accessors are named like what they give", offences);
    }

    @Test
    void leavesNothingToDo() {
        requireNone(
                "finish these, or tell them where they are decided",
                offences(ProjectTree.sources(), line -> LEFT_OPEN.matcher(line).find()));
    }

    @Test
    void sleepsNowhere() {
        requireNone(
                "wait for what happens, not for time",
                offences(ProjectTree.sources(), line -> SLEEP.matcher(line).find()));
    }

    /** The threads of SteppedThreads must not leave their carriers, so they cannot be parked. */
    @Test
    void testsWaitParked() {
        var tests =
                ProjectTree.sources().stream()
                        .filter(each -> each.toString().contains("/src/test/java/"))
                        .filter(each -> !each.getFileName().toString().startsWith("SteppedThreads"))
                        .toList();
        requireNone(
                "wait by Eventually, which is parked between looks",
                offences(tests, line -> SPIN.matcher(line).find()));
    }

    @Test
    void printsOnlyWhereThereIsAUser() {
        var silent =
                ProjectTree.mainSources().stream()
                        .filter(
                                path ->
                                        Stream.of(
                                                        "cli",
                                                        "sim",
                                                        "bench",
                                                        "interop",
                                                        "examples",
                                                        "nfs-store-contract")
                                                .noneMatch(
                                                        module ->
                                                                path.startsWith(
                                                                        ProjectTree.ROOT.resolve(
                                                                                module))))
                        .toList();
        requireNone(
                "log with System.Logger, or throw",
                offences(silent, line -> PRINTS.matcher(line).find()));
    }

    @Test
    void describesEveryPackage() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.mainSources()) {
            if (!file.getFileName().toString().equals("module-info.java")
                    && !Files.exists(file.resolveSibling("package-info.java"))) {
                offences.add(ProjectTree.name(file.getParent()));
            }
        }
        requireNone(
                "say in a package-info.java what these are", offences.stream().distinct().toList());
    }

    @Test
    void hasNoTabs() {
        requireNone("use spaces", offences(ProjectTree.sources(), line -> line.indexOf('\t') >= 0));
    }

    @Test
    void namesNoPathOfAMachine() {
        var files = new ArrayList<>(ProjectTree.sources());
        files.addAll(ProjectTree.find(".md"));
        files.addAll(ProjectTree.find("pom.xml"));
        requireNone(
                "these are directories of one user",
                offences(files, line -> MACHINE_PATH.matcher(line).find()));
    }

    @Test
    void hasNoBrokenLinks() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.find(".md")) {
            for (var line : ProjectTree.lines(file)) {
                var links = LINK.matcher(line);
                while (links.find()) {
                    if (!Files.exists(file.resolveSibling(links.group(1)))) {
                        offences.add(ProjectTree.name(file) + ": " + links.group(1));
                    }
                }
            }
        }
        requireNone("these links lead nowhere", offences);
    }

    @Test
    void givesEveryDocumentOneTitle() {
        for (var file : ProjectTree.find(".md")) {
            boolean code = false;
            int titles = 0;
            for (var line : ProjectTree.lines(file)) {
                code ^= line.startsWith("```");
                titles += !code && line.startsWith("# ") ? 1 : 0;
            }
            assertEquals(1, titles, ProjectTree.name(file));
        }
    }
}
