package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NfsUrlTest {
    private static NfsUrl url(String host, int port, String path, boolean isDirectory) {
        return url(NfsUrl.Transport.RDMA, host, port, path, isDirectory);
    }

    private static NfsUrl url(
            NfsUrl.Transport transport, String host, int port, String path, boolean isDirectory) {
        var server = new NfsUrl.Server(transport, host, port);
        return new NfsUrl(server, PathName.of(path), isDirectory);
    }

    @Test
    void theSchemeSaysWhatCarriesTheCalls() {
        var tcp = url(NfsUrl.Transport.TCP, "host", 2049, "/a", false);
        assertEquals(tcp, NfsUrl.parse("nfs://host/a"));
        assertEquals("nfs://host/a", tcp.toString());
        assertEquals(tcp, NfsUrl.parse("NFS://host:2049/a"));
        assertEquals("nfs://host:20049/a", NfsUrl.parse("nfs://host:20049/a").toString());
        assertEquals(url("host", 20049, "/a", false), NfsUrl.parse("nfs+rdma://host/a"));
        assertEquals("rdma://host:2049/a", NfsUrl.parse("Nfs+Rdma://host:2049/a").toString());
    }

    @Test
    @Tag("5666-12-2")
    @Tag("8267-9-1")
    void parsesWhatUsersWrite() {
        assertEquals(url("host", 20049, "/", false), NfsUrl.parse("rdma://host"));
        assertEquals(url("host", 20049, "/", false), NfsUrl.parse("rdma://host/"));
        assertEquals(url("10.0.0.1", 7, "/a/b", true), NfsUrl.parse("rdma://10.0.0.1:7/a/b/"));
        assertEquals(url("::1", 8, "/a", false), NfsUrl.parse("rdma://[::1]:8/a"));
        assertEquals(url("my_host", 20049, "/a", false), NfsUrl.parse("rdma://my_host/a"));
        assertEquals(url("h", 20049, "/a b", false), NfsUrl.parse("rdma://h/a b"));
        assertEquals(url("h", 20049, "/a b%", false), NfsUrl.parse("rdma://h/a%20b%25"));
        assertEquals(url("h", 20049, "/ü☃", false), NfsUrl.parse("rdma://h/ü☃"));
        assertEquals(url("h", 20049, "/ü/x y", false), NfsUrl.parse("rdma://h/%C3%BC/x y"));
    }

    @Test
    void printsWhatItParses() {
        for (var text :
                List.of(
                        "rdma://host/a/b",
                        "rdma://host:7/a",
                        "rdma://[::1]:8/a",
                        "rdma://[fe80::1%25eth0]:8/a",
                        "rdma://h/")) {
            assertEquals(text, NfsUrl.parse(text).toString());
        }
    }

    /** Goal: a zone is written as RFC 6874 has it, and as other programs take it. */
    @Test
    void anIpv6AddressMayHaveAZone() {
        var zones =
                List.of(
                        "rdma://[fe80::1%25eth0]/a -> eth0",
                        "rdma://[fe80::1%eth0]/a -> eth0",
                        "rdma://[fe80::1%25]/a -> 25",
                        "rdma://[fe80::1%2525]/a -> 25");
        for (var row : zones) {
            var words = row.split(" -> ");
            assertEquals("fe80::1%" + words[1], NfsUrl.parse(words[0]).host(), row);
        }
    }

    @Test
    void takesCharactersThatOtherUrlsGiveAMeaning() {
        assertEquals(url("h", 20049, "/a b#c?d", false), NfsUrl.parse("rdma://h/a%20b#c?d"));
        assertEquals(url("h", 20049, "/[a b]", false), NfsUrl.parse("rdma://h/[a%20b]"));
        assertEquals(url("h", 20049, "//x y", false), NfsUrl.parse("rdma://h//x%20y"));
    }

    @Test
    void takesNamesOfAnyBytesAndGivesThemBack() {
        var url = NfsUrl.parse("rdma://h/caf%E9/\udcffx%0a%25");
        var bytes = new byte[] {'/', 'c', 'a', 'f', (byte) 0xe9, '/', (byte) 0xff, 'x', '\n', '%'};
        assertEquals(new PathName(bytes), url.path());
        assertEquals("rdma://h/caf%E9/%FFx%0A%25", url.toString());
        assertEquals(url, NfsUrl.parse(url.toString()));
        assertEquals("rdma://h/caf%E9/%FFx%0A%25/", NfsUrl.parse(url + "/").toString());
    }

    @Test
    void namesAnInvalidPort() {
        var wrong =
                assertThrows(
                        IllegalArgumentException.class, () -> NfsUrl.parse("rdma://host:abc/"));
        assertEquals("\"abc\" is not a port in rdma://host:abc/", wrong.getMessage());
    }

    @Test
    void saysWhatIsWrong() {
        for (var text :
                List.of(
                        "",
                        "/local/path",
                        "tcp://host/a",
                        "nfs+tcp://host/a",
                        "nfs://",
                        "nfs+rdma:///a",
                        "rdma:///a",
                        "rdma://",
                        "rdma://host:port/a",
                        "rdma://user@host/a",
                        "rdma://[::1]:x/a",
                        "rdma://[::1/a",
                        "rdma://[host]/a",
                        "rdma://[fe80::1%]/a",
                        "rdma://a b/a",
                        "rdma://h:1:2/a",
                        "rdma://h/100%",
                        "rdma://h/%zz",
                        "rdma://h/%-1",
                        "rdma://h/a%00b",
                        "rdma://h:65536/a")) {
            assertThrows(IllegalArgumentException.class, () -> NfsUrl.parse(text), text);
        }
    }

    @Test
    void takesASchemeInAnyCaseAndNamesTheUrlThatWasMeant() {
        assertEquals(NfsUrl.parse("rdma://h/a"), NfsUrl.parse("RDMA://h/a"));
        assertTrue(NfsUrl.isUrl("Rdma://h"));
        for (var meant :
                List.of(
                        "h:/a -> (write rdma://h/a)",
                        "[fe80::1]:/a -> (write rdma://[fe80::1]/a)",
                        "tcp://h:2049/a -> (over TCP it is nfs://)")) {
            var words = meant.split(" -> ");
            var refused =
                    assertThrows(
                            IllegalArgumentException.class, () -> NfsUrl.parse(words[0]), words[0]);
            assertTrue(refused.getMessage().endsWith(": " + words[0] + " " + words[1]));
        }
        var refused = assertThrows(IllegalArgumentException.class, () -> NfsUrl.parse("a/b:/c"));
        assertTrue(refused.getMessage().endsWith(": a/b:/c"), refused::getMessage);
    }
}
