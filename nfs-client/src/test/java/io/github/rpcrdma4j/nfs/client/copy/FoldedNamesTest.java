package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FoldedNamesTest {
    private static FileName name(String text) {
        return FileName.of(text);
    }

    private static List<FileName> names(String... texts) {
        return Stream.of(texts).map(FileName::of).toList();
    }

    @Test
    void namesThatAFileSystemMayTakeForOneHaveOneKey() {
        var alike =
                List.of(
                        List.of(
                                "photo.jpg",
                                "Photo.JPG",
                                "PHOTO.jpg",
                                "photo.jpg. .",
                                "photo.jpg "),
                        // Composed and decomposed, in both cases.
                        List.of(
                                "\u00e9t\u00e9",
                                "e\u0301te\u0301",
                                "\u00c9T\u00c9",
                                "E\u0301te\u0301"),
                        List.of("stra\u00dfe", "STRASSE", "strasse"),
                        List.of("\ufb01n", "fin"));
        for (var each : alike) {
            assertEquals(
                    1, each.stream().map(one -> FoldedNames.key(name(one))).distinct().count());
        }
        assertNotEquals(FoldedNames.key(name("a")), FoldedNames.key(name("b")));
        assertNotEquals(FoldedNames.key(name("a b")), FoldedNames.key(name("ab")));
        assertNotEquals(FoldedNames.key(name("...")), FoldedNames.key(name("a")));
        // Bytes that are no UTF-8.
        var one = new FileName(new byte[] {'a', (byte) 0xe9});
        var other = new FileName(new byte[] {'A', (byte) 0xe9});
        assertEquals(FoldedNames.key(one), FoldedNames.key(other));
    }

    @Test
    void listedNamesComeFirstInAGroup() {
        var all = names("b", "A", "a", "B", "c");
        assertEquals(List.of(names("A", "a"), names("B", "b")), FoldedNames.groups(all, Set.of()));
        assertEquals(
                List.of(names("a", "A"), names("B", "b")),
                FoldedNames.groups(all, Set.of(name("a"), name("B"), name("x"))));
    }

    @Test
    void onlyNamesThatAreNotListedHaveOtherSpellings() {
        var copied = names("a", "b", "C");
        assertEquals(
                Map.of(name("a"), names("A")),
                FoldedNames.spellings(copied, Set.copyOf(names("A", "b", "B", "d"))));
        // A name that is copied too stands for itself.
        assertEquals(Map.of(), FoldedNames.spellings(names("a", "A"), Set.copyOf(names("A", "x"))));
    }
}
