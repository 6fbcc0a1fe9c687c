package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NfsUrlTest {
    @Test
    @Tag("5666-12-2")
    @Tag("8267-9-1")
    void parsesWhatUsersWrite() {
        assertEquals(new NfsUrl("host", 20049, "/"), NfsUrl.parse("rdma://host"));
        assertEquals(new NfsUrl("host", 20049, "/"), NfsUrl.parse("rdma://host/"));
        assertEquals(new NfsUrl("10.0.0.1", 7, "/a/b"), NfsUrl.parse("rdma://10.0.0.1:7/a/b/"));
        assertEquals(new NfsUrl("::1", 8, "/a"), NfsUrl.parse("rdma://[::1]:8/a"));
        assertEquals(new NfsUrl("h", 20049, "/a b"), NfsUrl.parse("rdma://h/a b"));
        assertEquals(new NfsUrl("h", 20049, "/a b%"), NfsUrl.parse("rdma://h/a%20b%25"));
        assertEquals(new NfsUrl("h", 20049, "/ü☃"), NfsUrl.parse("rdma://h/ü☃"));
        assertEquals(new NfsUrl("h", 20049, "/ü/x y"), NfsUrl.parse("rdma://h/%C3%BC/x y"));
    }

    @Test
    void printsWhatItParses() {
        for (var text :
                List.of("rdma://host/a/b", "rdma://host:7/a", "rdma://[::1]:8/a", "rdma://h/")) {
            assertEquals(text, NfsUrl.parse(text).toString());
        }
    }

    @Test
    void takesCharactersThatOtherUrlsGiveAMeaning() {
        assertEquals(new NfsUrl("h", 20049, "/a b#c?d"), NfsUrl.parse("rdma://h/a%20b#c?d"));
        assertEquals(new NfsUrl("h", 20049, "/[a b]"), NfsUrl.parse("rdma://h/[a%20b]"));
        assertEquals(new NfsUrl("h", 20049, "//x y"), NfsUrl.parse("rdma://h//x%20y"));
    }

    @Test
    void saysWhatIsWrong() {
        for (var text :
                List.of(
                        "",
                        "/local/path",
                        "nfs://host/a",
                        "rdma:///a",
                        "rdma://",
                        "rdma://host:port/a",
                        "rdma://h/100%",
                        "rdma://h/%zz",
                        "rdma://h/%-1",
                        "rdma://h/%ff",
                        "rdma://h/a%00b",
                        "rdma://h:65536/a")) {
            assertThrows(IllegalArgumentException.class, () -> NfsUrl.parse(text), text);
        }
    }
}
