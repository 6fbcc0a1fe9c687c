package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: the API changes only on purpose. Method: a file beside the ledgers lists the public types
 * and members of each published module. A change of the code without a change of the file fails,
 * and a review sees a change of the file. {@code ./dev/test -Dcompliance.write} writes the files.
 */
class ApiTest {
    private static final Path LISTS = ProjectTree.ROOT.resolve("specs/api");

    static List<String> published() throws IOException {
        try (var files = Files.list(ProjectTree.ROOT)) {
            return files.filter(
                            each -> Files.exists(each.resolve("src/main/java/module-info.java")))
                    .filter(each -> !isTool(each))
                    .map(each -> each.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static boolean isTool(Path directory) {
        try {
            return Files.readString(directory.resolve("pom.xml"))
                    .contains("<maven.install.skip>true");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void theListsSayWhatIsPublic() throws IOException {
        for (var module : published()) {
            var list = LISTS.resolve(module + ".txt");
            var api = String.join("\n", Api.of(ProjectTree.ROOT.resolve(module))) + "\n";
            if (System.getProperty("compliance.write") != null) {
                Files.createDirectories(LISTS);
                Files.writeString(list, api);
            }
            assertEquals(
                    Files.readString(list),
                    api,
                    "specs/api is not up to date: ./dev/test -Dcompliance.write writes it");
        }
    }

    @Test
    void everyListIsOfAModule() throws IOException {
        try (var lists = Files.list(LISTS)) {
            assertEquals(
                    published().stream().map(module -> module + ".txt").sorted().toList(),
                    lists.map(each -> each.getFileName().toString()).sorted().toList());
        }
    }

    /**
     * Goal: public signatures use only types of the JDK or of the API, so that a user can name
     * them.
     */
    @Test
    void nothingPublicNeedsAThirdPartyOrATest() throws IOException {
        for (var module : published()) {
            for (var line : Api.of(ProjectTree.ROOT.resolve(module))) {
                var foreign =
                        Stream.of("org.junit", "com.google", "org.apache").anyMatch(line::contains);
                assertFalse(foreign && !module.endsWith("-contract"), line);
            }
        }
    }
}
