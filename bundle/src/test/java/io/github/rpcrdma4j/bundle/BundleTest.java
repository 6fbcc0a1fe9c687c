package io.github.rpcrdma4j.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/**
 * Goal: what is published is what Maven Central accepts: metadata that stands alone, sources,
 * Javadoc, licence, checksums, and signatures if there is a key. It runs with {@code -Prelease}
 * alone, behind all modules that are published.
 */
class BundleTest {
    private static final Path GROUP =
            Path.of(System.getProperty("bundle.directory"), "io/github/rpcrdma4j");
    private static final String VERSION = System.getProperty("bundle.version");
    private static final boolean SIGNED = "false".equals(System.getProperty("bundle.unsigned"));
    private static final List<String> PUBLISHED =
            List.of(
                    "bom",
                    "gateway",
                    "iwarp",
                    "linux",
                    "memory",
                    "nfs",
                    "nfs-client",
                    "nfs-directories",
                    "nfs-nio",
                    "nfs-server",
                    "nfs-state",
                    "nfs-store",
                    "nfs-store-contract",
                    "oncrpc",
                    "rdma-core",
                    "rpc-rdma",
                    "rpc-rdma-5666",
                    "rpc-rdma-v2",
                    "rpcrdma4j",
                    "verbs",
                    "verbs-contract",
                    "xdr");

    static List<String> artifacts() {
        return PUBLISHED;
    }

    static List<String> libraries() {
        return PUBLISHED.stream()
                .filter(each -> !each.equals("bom") && !each.equals("rpcrdma4j"))
                .toList();
    }

    @BeforeAll
    static void itIsTheBundleOfThisVersion() {
        assertFalse(VERSION.contains("SNAPSHOT"), VERSION);
    }

    private static Path file(String artifact, String ending) {
        return GROUP.resolve(artifact).resolve(VERSION).resolve(artifact + "-" + VERSION + ending);
    }

    @Test
    void hasEachArtifactAndNoTool() throws IOException {
        try (var directories = Files.list(GROUP)) {
            assertEquals(
                    new TreeSet<>(PUBLISHED),
                    directories
                            .map(each -> each.getFileName().toString())
                            .collect(TreeSet::new, TreeSet::add, TreeSet::addAll));
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void thePomStandsAlone(String artifact) throws Exception {
        var path = file(artifact, ".pom");
        var text = Files.readString(path);
        // The version of the POM itself is always known.
        assertFalse(
                text.replace("${project.version}", VERSION).contains("${"), "a variable is left");
        assertFalse(text.contains("SNAPSHOT"), "it needs what is not released");
        var pom =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(path.toFile())
                        .getDocumentElement();
        assertTrue(children(pom, "parent").isEmpty(), "it asks for a parent");
        for (var wanted :
                List.of(
                        "groupId",
                        "artifactId",
                        "version",
                        "name",
                        "description",
                        "url",
                        "licenses",
                        "developers",
                        "scm")) {
            assertEquals(1, children(pom, wanted).size(), wanted);
            assertFalse(children(pom, wanted).getFirst().getTextContent().isBlank(), wanted);
        }
    }

    private static List<Element> children(Element parent, String name) {
        var nodes = parent.getChildNodes();
        return Stream.iterate(0, i -> i < nodes.getLength(), i -> i + 1)
                .map(nodes::item)
                .filter(
                        node ->
                                node instanceof Element element
                                        && element.getTagName().equals(name))
                .map(Element.class::cast)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void eachLibraryHasSourcesAndJavadocAndItsLicence(String artifact) throws IOException {
        try (var classes = new JarFile(file(artifact, ".jar").toFile());
                var sources = new JarFile(file(artifact, "-sources.jar").toFile());
                var javadoc = new JarFile(file(artifact, "-javadoc.jar").toFile())) {
            assertNotNull(classes.getEntry("META-INF/LICENSE"), "licence");
            assertTrue(
                    sources.stream().anyMatch(entry -> entry.getName().endsWith(".java")),
                    "sources");
            assertNotNull(javadoc.getEntry("index.html"), "Javadoc");
            assertTrue(
                    classes.stream().noneMatch(entry -> entry.getName().contains("Test.class")),
                    "tests of ours");
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void eachFileHasItsChecksumsAndItsSignature(String artifact) throws Exception {
        try (var files = Files.list(GROUP.resolve(artifact).resolve(VERSION))) {
            for (var file : files.toList()) {
                var name = file.getFileName().toString();
                if (name.endsWith(".md5") || name.endsWith(".sha1") || name.contains("-tests.")) {
                    continue;
                }
                for (var algorithm : List.of("MD5", "SHA-1")) {
                    var ending =
                            "." + algorithm.replace("-", "").toLowerCase(java.util.Locale.ROOT);
                    var digest = MessageDigest.getInstance(algorithm);
                    assertEquals(
                            HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file))),
                            Files.readString(file.resolveSibling(name + ending)).strip(),
                            name);
                }
                if (SIGNED && !name.endsWith(".asc")) {
                    assertTrue(Files.exists(file.resolveSibling(name + ".asc")), name);
                }
            }
        }
    }
}
