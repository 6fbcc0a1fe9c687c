package io.github.rpcrdma4j.nfs.server.users;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes accounts for tests of the server. */
public final class TestAccounts {
    private TestAccounts() {}

    /** Returns accounts of a realm from files in a directory, which it writes. */
    public static KerberosUsers of(Path directory, String realm, String passwd, String group)
            throws IOException {
        var accounts =
                new LocalAccounts(
                        Files.writeString(directory.resolve("passwd"), passwd),
                        Files.writeString(directory.resolve("group"), group),
                        System::nanoTime);
        return new SystemAccounts(accounts, realm);
    }
}
