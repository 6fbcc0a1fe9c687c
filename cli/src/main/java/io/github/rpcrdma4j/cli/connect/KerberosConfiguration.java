package io.github.rpcrdma4j.cli.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Passes the location of the Kerberos configuration to the JDK. The JDK takes it from a system
 * property, other implementations from an environment variable.
 */
public final class KerberosConfiguration {
    private static final String PROPERTY = "java.security.krb5.conf";
    private static final String REALM = "java.security.krb5.realm";
    private static final String VARIABLE = "KRB5_CONFIG";

    private KerberosConfiguration() {}

    /**
     * Sets the file that the environment names. To be called before Kerberos is used. MIT's library
     * accepts a list of files and reads the existing ones; the JDK reads only one.
     *
     * @throws IOException if none of the files is readable, or more than one is
     */
    public static void load(Map<String, String> environment) throws IOException {
        var files = environment.get(VARIABLE);
        if (files == null || files.isEmpty() || System.getProperty(PROPERTY) != null) {
            return;
        }
        var there =
                Arrays.stream(files.split(":"))
                        .filter(each -> !each.isEmpty() && Files.isReadable(Path.of(each)))
                        .toList();
        if (there.size() > 1) {
            throw new IOException(
                    VARIABLE
                            + " names several files, and Java reads one: put them together with"
                            + " 'include FILE' in one, not "
                            + files);
        }
        if (there.isEmpty()) {
            throw new IOException(VARIABLE + " names no file that can be read: " + files);
        }
        System.setProperty(PROPERTY, there.getFirst());
    }
}
