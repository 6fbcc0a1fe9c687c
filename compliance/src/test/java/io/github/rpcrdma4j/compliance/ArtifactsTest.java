package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Goal: artifacts are named like their directories, and one place has their versions. */
class ArtifactsTest {
    private static final Pattern ARTIFACT =
            Pattern.compile("<artifactId>([^<]+)</artifactId>(?!<version>)");
    private static final Pattern LISTED =
            Pattern.compile(
                    "<groupId>io\\.github\\.rpcrdma4j</groupId><artifactId>([^<]+)</artifactId>");
    private static final Pattern REVISION = Pattern.compile("<revision>([^<]+)</revision>");
    private static final Pattern COORDINATES =
            Pattern.compile("<artifactId>[^<]+</artifactId>\\s+<version>([^<]+)</version>");

    private static String pom(String directory) throws IOException {
        return Files.readString(ProjectTree.ROOT.resolve(directory).resolve("pom.xml"));
    }

    private static Set<String> directories() throws IOException {
        try (var files = Files.list(ProjectTree.ROOT)) {
            var directories = new TreeSet<String>();
            files.filter(each -> Files.exists(each.resolve("pom.xml")))
                    .map(Path::getFileName)
                    .forEach(name -> directories.add(name.toString()));
            return directories;
        }
    }

    @Test
    void artifactsAreNamedLikeTheirDirectories() throws IOException {
        for (var directory : directories()) {
            var artifact = ARTIFACT.matcher(pom(directory));
            assertTrue(artifact.find() && artifact.find(), directory);
            assertEquals(directory, artifact.group(1));
        }
    }

    @Test
    void theBomAndTheBundleListWhatIsInstalled() throws IOException {
        var installed = new TreeSet<String>();
        for (var directory : directories()) {
            var pom = pom(directory);
            if (!directory.equals("bom") && !pom.contains("<maven.install.skip>true")) {
                installed.add(directory);
                assertTrue(pom.contains("<description>"), directory);
            }
        }
        for (var list : Set.of("bom", "bundle")) {
            var listed = new TreeSet<String>();
            LISTED.matcher(pom(list)).results().forEach(each -> listed.add(each.group(1)));
            assertEquals(installed, listed, list);
        }
    }

    @Test
    void theReadmeNamesTheVersionOfTheBuild() throws IOException {
        var revision = REVISION.matcher(pom("."));
        assertTrue(revision.find());
        var readme = Files.readString(ProjectTree.ROOT.resolve("README.md"));
        var versions = new TreeSet<String>();
        COORDINATES.matcher(readme).results().forEach(each -> versions.add(each.group(1)));
        assertEquals(Set.of(revision.group(1)), versions);
    }
}
