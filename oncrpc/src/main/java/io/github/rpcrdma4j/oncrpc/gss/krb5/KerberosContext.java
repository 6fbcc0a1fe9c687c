package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssContext;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.MessageProp;

/**
 * One end of a Kerberos context. Several threads may sign and encrypt with it, because JGSS does
 * not check for replays or gaps here. RPCSEC_GSS checks the sequence itself.
 *
 * <p>Tests: {@code KerberosTest}.
 */
final class KerberosContext implements GssContext {
    /** The longest MIC token, in bytes: header and checksum (RFC 4121, Section 4.2.6.1). */
    private static final int MIC_MAX = 64;

    /**
     * The longest overhead of a wrap token, in bytes: header, confounder, padding, second header
     * and checksum (RFC 4121, Section 4.2.4).
     */
    private static final int WRAP_OVERHEAD_MAX = 128;

    private final Subject subject;
    private final GSSContext context;
    private final boolean initiates;
    private final String what;

    /**
     * @param what the operation that fails if a token is refused, as text for a user
     */
    KerberosContext(Subject subject, GSSContext context, boolean initiates, String what) {
        this.subject = subject;
        this.context = context;
        this.initiates = initiates;
        this.what = what;
    }

    @Override
    public byte[] step(byte[] token) throws GssException {
        byte[] answer =
                as(
                        subject,
                        what,
                        () ->
                                initiates
                                        ? context.initSecContext(token, 0, token.length)
                                        : context.acceptSecContext(token, 0, token.length));
        return answer == null ? new byte[0] : answer;
    }

    /**
     * Runs an operation with the keys and tickets of a subject.
     *
     * @param what the operation, as text for a user
     */
    static <T> T as(Subject subject, String what, Callable<T> work) throws GssException {
        try {
            return Subject.callAs(subject, work);
        } catch (CompletionException failed) {
            // Tokens come from untrusted peers, so every exception of JGSS is a failure of the
            // token.
            throw KerberosFailures.of(
                    what, failed.getCause() instanceof Exception cause ? cause : failed);
        }
    }

    @Override
    public boolean isEstablished() {
        return context.isEstablished();
    }

    @Override
    public String peer() throws GssException {
        try {
            return (initiates ? context.getTargName() : context.getSrcName()).toString();
        } catch (GSSException failure) {
            throw KerberosFailures.of("the peer has no name", failure);
        }
    }

    /**
     * Returns the lifetime that JGSS reports. JGSS of the JDK reports that every context lives for
     * ever. It has no other method that returns the end of a peer's ticket.
     */
    @Override
    public Duration lifetime() {
        int seconds = context.getLifetime();
        return Duration.ofSeconds(Math.max(0, seconds));
    }

    @Override
    public int micMax() {
        return MIC_MAX;
    }

    @Override
    public int wrapOverheadMax() {
        return WRAP_OVERHEAD_MAX;
    }

    @Override
    public byte[] mic(byte[] message) throws GssException {
        try {
            return context.getMIC(message, 0, message.length, new MessageProp(false));
        } catch (GSSException | RuntimeException failure) {
            throw KerberosFailures.of("a message cannot be signed", failure);
        }
    }

    @Override
    public void verify(byte[] message, byte[] mic) throws GssException {
        try {
            context.verifyMIC(
                    mic, 0, mic.length, message, 0, message.length, new MessageProp(false));
        } catch (GSSException | RuntimeException failure) {
            // JGSS throws runtime exceptions for some malformed tokens.
            throw KerberosFailures.of("a signature is wrong", failure);
        }
    }

    @Override
    public byte[] wrap(byte[] message) throws GssException {
        try {
            return context.wrap(message, 0, message.length, new MessageProp(true));
        } catch (GSSException | RuntimeException failure) {
            throw KerberosFailures.of("a message cannot be encrypted", failure);
        }
    }

    @Override
    public byte[] unwrap(byte[] wrapped) throws GssException {
        var how = new MessageProp(false);
        try {
            byte[] message = context.unwrap(wrapped, 0, wrapped.length, how);
            if (!how.getPrivacy()) {
                throw new GSSException(GSSException.BAD_QOP);
            }
            return message;
        } catch (GSSException | RuntimeException failure) {
            throw KerberosFailures.of("a message was not encrypted by the peer", failure);
        }
    }

    @Override
    public void close() {
        try {
            context.dispose();
        } catch (GSSException _) {
            // The context is not used again in any case.
        }
    }
}
