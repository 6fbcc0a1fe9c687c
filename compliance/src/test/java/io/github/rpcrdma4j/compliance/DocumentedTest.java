package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: everything that a user can name has a comment. Method: doclint checks the packages that
 * published modules export to all. The test does not ask for tags of all parameters and results:
 * tags are only for facts that the first sentence leaves open.
 */
class DocumentedTest {
    /**
     * Modules whose types mirror an RFC field by field; they have comments only for unclear fields.
     */
    private static final Set<String> MIRRORS = Set.of("nfs", "nfs-server");

    private static final Set<String> MISSING = Set.of("no comment", "no main description");

    private static final String MODULE = "/** A module. */\nmodule shown { exports shown; }\n";

    @TempDir Path output;

    @Test
    void everythingPublicHasAComment() throws IOException {
        var offences = new ArrayList<String>();
        for (var module : ApiTest.published()) {
            if (!MIRRORS.contains(module)) {
                offences.addAll(offences(ProjectTree.ROOT.resolve(module)));
            }
        }
        assertEquals(List.of(), offences);
    }

    /** Goal: the check finds missing comments. */
    @Test
    void findsWhatHasNone() throws IOException {
        var sources = Files.createDirectories(output.resolve("src/main/java/shown"));
        var type =
                "package shown;\n/** A type. */\npublic class Shown {\npublic void done() {}\n}\n";
        var shown = Files.writeString(sources.resolve("Shown.java"), type);
        var module = Files.writeString(sources.resolveSibling("module-info.java"), MODULE);
        var classes = output.resolve("target/classes").toString();
        var javac = ToolProvider.getSystemJavaCompiler();
        var arguments = new String[] {"-d", classes, shown.toString(), module.toString()};
        assertEquals(0, javac.run(null, null, null, arguments));
        assertEquals(List.of(ProjectTree.name(shown) + ":4"), offences(output));
    }

    private List<String> offences(Path module) throws IOException {
        var exported = Api.exported(module.resolve("target/classes/module-info.class"));
        var sources = module.resolve("src/main/java");
        var compiler = ToolProvider.getSystemJavaCompiler();
        var found = new DiagnosticCollector<JavaFileObject>();
        try (var files = compiler.getStandardFileManager(found, Locale.ENGLISH, null);
                var all = Files.walk(sources)) {
            var units =
                    files.getJavaFileObjectsFromPaths(
                            all.filter(each -> each.toString().endsWith(".java")).toList());
            var options =
                    List.of(
                            "-Xdoclint:missing/protected",
                            "-Xmaxwarns",
                            "10000",
                            "-proc:none",
                            "--release",
                            "25",
                            "--module-path",
                            modulePath(),
                            "-d",
                            output.toString());
            var task = (JavacTask) compiler.getTask(null, files, found, options, null, units);
            task.analyze();
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getSource() != null && isMissing(each))
                .filter(each -> isIn(sources, exported, Path.of(each.getSource().toUri())))
                .map(
                        each ->
                                ProjectTree.name(Path.of(each.getSource().toUri()))
                                        + ":"
                                        + each.getLineNumber())
                .toList();
    }

    private static boolean isMissing(Diagnostic<?> diagnostic) {
        var text = diagnostic.getMessage(Locale.ENGLISH);
        return MISSING.stream().anyMatch(text::contains);
    }

    private static boolean isIn(Path sources, List<String> exported, Path file) {
        return exported.contains(sources.relativize(file).getParent().toString());
    }

    private static String modulePath() throws IOException {
        try (var directories = Files.list(ProjectTree.ROOT)) {
            return directories
                    .map(each -> each.resolve("target/classes"))
                    .filter(each -> Files.exists(each.resolve("module-info.class")))
                    .flatMap(each -> Stream.of(each.toString()))
                    .collect(Collectors.joining(":"));
        }
    }
}
