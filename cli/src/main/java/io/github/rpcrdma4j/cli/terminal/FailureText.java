package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.verbs.NoResourceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What a user reads about a failure. */
public final class FailureText {
    private static final String ROOT_SQUASH =
            " (most servers take root for an anonymous user, unless a rule there says no_root_squash)";

    private FailureText() {}

    /**
     * Returns the message for a failure, in one line. It may hold text of a server, so control
     * characters are escaped.
     */
    public static String oneLine(Exception failure) {
        var words =
                switch (failure) {
                    case InterruptedException _ -> "interrupted";
                    case RpcException known -> known.getMessage();
                    case NfsException refused -> refused.getMessage() + hint(refused);
                    case NoSuchFileException missing ->
                            missing.getFile() + ": no such file or directory";
                    case FileNotFoundException missing -> missing.getMessage();
                    case FileAlreadyExistsException there -> there.getFile() + ": exists already";
                    case AccessDeniedException denied -> denied.getFile() + ": permission denied";
                    case FileSystemException other -> other.getMessage();
                    case IOException other when other.getMessage() != null -> other.getMessage();
                    case NoResourceException none -> none.getMessage();
                    case StandardOutput.Failed unwritten -> unwritten.getMessage();
                    default -> "internal error: " + failure;
                };
        return words.isBlank() ? failure.getClass().getSimpleName() : Printable.line(words.strip());
    }

    /** Returns an explanation why root may be denied: most servers squash root. */
    private static String hint(NfsException refused) {
        boolean denied = refused.status() == Status.ACCES || refused.status() == Status.PERM;
        boolean isRoot = ProcessCredential.read() instanceof Credential.Sys user && user.uid() == 0;
        return denied && isRoot ? ROOT_SQUASH : Suggestions.patterns(refused);
    }
}
