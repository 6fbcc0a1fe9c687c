package io.github.rpcrdma4j.oncrpc.gss.krb5;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * A key distribution center in the process, on loopback only. The configuration of Kerberos is
 * global, so a process can use only one KDC at a time.
 */
public final class EmbeddedKdc implements AutoCloseable {
    public static final String REALM = "TEST.EXAMPLE";
    private static final String CONFIGURATION = "java.security.krb5.conf";
    private static final int TRIES = 5;

    private final Path directory;
    private final SimpleKdcServer kdc;

    private EmbeddedKdc(Path directory, SimpleKdcServer kdc) {
        this.directory = directory;
        this.kdc = kdc;
    }

    /**
     * Starts a key distribution center.
     *
     * @param directory the directory for its configuration, keytabs and tickets
     */
    public static EmbeddedKdc start(Path directory) throws Exception {
        for (int i = 0; ; i++) {
            try {
                return start(directory, freePort());
            } catch (KrbException taken) {
                if (i == TRIES) {
                    throw taken;
                }
            }
        }
    }

    private static EmbeddedKdc start(Path directory, int port) throws Exception {
        var configuration = directory.resolve("krb5.conf");
        Files.writeString(
                configuration,
                """
                [libdefaults]
                  default_realm = %s
                  udp_preference_limit = 1
                  dns_lookup_kdc = false
                  dns_lookup_realm = false
                  dns_canonicalize_hostname = false
                  kdc_timeout = 5000
                  max_retries = 1
                [realms]
                  %s = {
                    kdc = 127.0.0.1:%d
                  }
                """
                        .formatted(REALM, REALM, port));
        System.setProperty(CONFIGURATION, configuration.toString());
        var kdc = new SimpleKdcServer();
        kdc.setWorkDir(Files.createDirectories(directory.resolve("kdc")).toFile());
        kdc.setKdcRealm(REALM);
        kdc.setKdcHost("127.0.0.1");
        kdc.setKdcTcpPort(port);
        kdc.setAllowUdp(false);
        kdc.getKdcConfig().setBoolean(KdcConfigKey.PREAUTH_REQUIRED, false);
        kdc.init();
        kdc.start();
        System.setProperty(CONFIGURATION, configuration.toString());
        return new EmbeddedKdc(directory, kdc);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Creates a principal with random keys. Returns the file of its keys. */
    public Path keytab(String principal) throws Exception {
        var keytab = directory.resolve(principal.replace('/', '_') + ".keytab");
        kdc.createPrincipal(principal);
        kdc.exportPrincipal(principal, keytab.toFile());
        return keytab;
    }

    /**
     * Creates a principal and gets a ticket for it, like {@code kinit}. Returns the file of the
     * ticket.
     */
    public Path ticketCache(String principal) throws Exception {
        var cache = directory.resolve(principal + ".ccache");
        kdc.createPrincipal(principal, "secret of " + principal);
        var client = kdc.getKrbClient();
        client.storeTicket(client.requestTgt(principal, "secret of " + principal), cache.toFile());
        return cache;
    }

    @Override
    public void close() throws KrbException {
        kdc.stop();
        System.clearProperty(CONFIGURATION);
    }
}
