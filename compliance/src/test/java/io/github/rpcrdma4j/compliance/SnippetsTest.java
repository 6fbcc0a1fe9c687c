package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: the programs in the README are programs that the build runs. Method: a comment before each
 * program names its file. Program and file have to be equal from the imports on.
 */
class SnippetsTest {
    private static final Pattern SNIPPET =
            Pattern.compile("<!-- (examples/\\S+\\.java) -->\n```java\n(.*?)```\n", Pattern.DOTALL);
    private static final Pattern ANY = Pattern.compile("```java\n");
    private static final int LINES_MAX = 60;

    private static String program(String file) throws IOException {
        var text = Files.readString(ProjectTree.ROOT.resolve(file));
        return text.substring(text.indexOf("import "));
    }

    @Test
    void theReadmeHasTheProgramsThatTheBuildRuns() throws IOException {
        var page = ProjectTree.ROOT.resolve("README.md");
        var text = Files.readString(page);
        if (System.getProperty("compliance.write") != null) {
            text = written(text);
            Files.writeString(page, text);
        }
        long found = 0;
        for (var snippet = SNIPPET.matcher(text); snippet.find(); found++) {
            assertEquals(program(snippet.group(1)), snippet.group(2), snippet.group(1));
        }
        assertTrue(found > 0, "the README shows no program");
        assertEquals(found, ANY.matcher(text).results().count(), "programs without a file");
    }

    private static String written(String text) throws IOException {
        var all = new StringBuilder();
        var snippet = SNIPPET.matcher(text);
        while (snippet.find()) {
            var block =
                    "<!-- %s -->\n```java\n%s```\n"
                            .formatted(snippet.group(1), program(snippet.group(1)));
            snippet.appendReplacement(all, Matcher.quoteReplacement(block));
        }
        return snippet.appendTail(all).toString();
    }

    @Test
    void theFirstProgramIsShort() throws IOException {
        var file = "examples/src/main/java/io/github/rpcrdma4j/examples/BulkProgram.java";
        assertTrue(Files.readAllLines(ProjectTree.ROOT.resolve(file)).size() < LINES_MAX);
    }
}
