package io.github.rpcrdma4j.nfs.client.v4.v40;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FilePlacesTest {
    private static final FileHandle DIRECTORY = new FileHandle(new byte[] {0});

    private final FilePlaces places = new FilePlaces(3);

    private static FileHandle file(int number) {
        return new FileHandle(new byte[] {(byte) number});
    }

    private static RemotePlace place(String name) {
        return new RemotePlace(DIRECTORY, name);
    }

    @Test
    void theNewestPlaceOfAFileAndTheNewestFileOfAPlaceCount() {
        places.found(place("a"), file(1));
        assertEquals(Optional.of(place("a")), places.of(file(1)));
        places.found(place("b"), file(1));
        assertEquals(Optional.of(place("b")), places.of(file(1)));
        places.found(place("b"), file(2));
        assertEquals(Optional.empty(), places.of(file(1)));
        assertEquals(Optional.of(place("b")), places.of(file(2)));
    }

    @Test
    void aRenamedFileTakesItsPlaceAlong() {
        places.found(place("a"), file(1));
        places.found(place("b"), file(2));
        places.renamed(place("a"), place("b"));
        assertEquals(Optional.of(place("b")), places.of(file(1)));
        assertEquals(Optional.empty(), places.of(file(2)));
        places.renamed(place("none"), place("b"));
        assertEquals(Optional.empty(), places.of(file(1)));
    }

    @Test
    void theOldestAreForgotten() {
        for (int i = 1; i <= 4; i++) {
            places.found(place("name" + i), file(i));
        }
        assertEquals(Optional.empty(), places.of(file(1)));
        assertEquals(Optional.of(place("name2")), places.of(file(2)));
        places.found(place("name2"), file(2));
        places.found(place("name5"), file(5));
        assertEquals(Optional.empty(), places.of(file(3)));
        assertEquals(Optional.of(place("name2")), places.of(file(2)));
    }
}
