package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Goal: the printed command is the shortest one that works. */
class MountTextTest {
    private static String version4(String address, int port, SecurityFlavor flavor) {
        var rdma = new InetSocketAddress(InetAddress.ofLiteral(address), port);
        return new MountText(rdma, MountText.host(rdma), flavor).version4("/data");
    }

    @Test
    void needsNothingButRdmaAtTheStandardPort() {
        assertEquals(
                "mount -t nfs -o rdma SERVER:/data /mnt",
                version4("0.0.0.0", 20049, SecurityFlavor.SYS));
        assertEquals(
                "mount -t nfs -o rdma SERVER:/data /mnt",
                version4("::", 20049, SecurityFlavor.SYS));
        assertEquals(
                "mount -t nfs -o rdma 192.0.2.1:/data /mnt",
                version4("192.0.2.1", 20049, SecurityFlavor.SYS));
    }

    @Test
    void namesWhatIsUnusual() {
        assertEquals(
                "mount -t nfs -o rdma,port=20050,sec=krb5p 192.0.2.1:/data /mnt",
                version4("192.0.2.1", 20050, SecurityFlavor.KRB5P));
        assertEquals(
                "mount -t nfs -o proto=rdma6 [2001:db8::1]:/data /mnt",
                version4("2001:db8::1", 20049, SecurityFlavor.SYS));
    }

    @Test
    void reachesVersion4OverTcpToo() {
        var rdma = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 20049);
        assertEquals(
                "mount -t nfs -o proto=tcp,port=2049,sec=krb5 192.0.2.1:/data /mnt",
                new MountText(rdma, "192.0.2.1", SecurityFlavor.KRB5)
                        .version4OverTcp("/data", 2049));
        var six = new InetSocketAddress(InetAddress.ofLiteral("::1"), 20049);
        assertEquals(
                "mount -t nfs -o proto=tcp6,port=12 [::1]:/data /mnt",
                new MountText(six, "[::1]", SecurityFlavor.SYS).version4OverTcp("/data", 12));
    }

    @Test
    void tellsLinuxAllPortsOfVersion3() {
        var rdma = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 20049);
        var text = new MountText(rdma, "nfs.example.org", SecurityFlavor.SYS);
        var ports = "mount -t nfs -o vers=3,proto=rdma,port=20049,mountproto=tcp,mountport=2049";
        assertEquals(
                ports + ",nolock nfs.example.org:/data /mnt", text.version3("/data", 2049, false));
        assertEquals(ports + " nfs.example.org:/data /mnt", text.version3("/data", 2049, true));
    }

    /** Linux locks with AUTH_SYS, which an export with Kerberos refuses. */
    @Test
    void leavesLocksOutWithKerberos() {
        var rdma = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 20049);
        assertEquals(
                "mount -t nfs -o vers=3,proto=rdma,port=20049,mountproto=tcp,mountport=2049,nolock,sec=krb5"
                        + " server:/data /mnt",
                new MountText(rdma, "server", SecurityFlavor.KRB5).version3("/data", 2049, true));
    }
}
