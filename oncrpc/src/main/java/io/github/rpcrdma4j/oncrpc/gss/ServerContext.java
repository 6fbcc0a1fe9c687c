package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.gss.ServerContextState.Action;
import io.github.rpcrdma4j.oncrpc.gss.ServerContextState.Event;
import io.github.rpcrdma4j.oncrpc.spi.Admission;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyProtection;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * The server's end of a context. Thread-safe. Calls are signed and encrypted outside its lock.
 *
 * <p>Tests: {@code GssServerTest}.
 */
final class ServerContext {
    private static final Logger LOG = System.getLogger(ServerContext.class.getName());

    private static final Duration LIFE_MAX = Duration.ofDays(1);

    /** The store in which calls find contexts. */
    interface Store {
        void store(ServerContext context, boolean established);

        void forget(ServerContext context);
    }

    private final long handle;
    private final ClientAddress client;
    private final SharedContext shared;
    private final GssContext mechanism;
    private final Store store;
    private final SequenceWindow window = new SequenceWindow();
    private ServerContextState state = ServerContextState.BEGUN;

    /**
     * The name of the other end. It is set when the context is established, like {@code lifeNanos}.
     */
    private String principal;

    private long lifeNanos;

    /**
     * @param client the client that began the context
     */
    ServerContext(long handle, ClientAddress client, GssContext mechanism, Store store) {
        this.handle = handle;
        this.client = client;
        this.mechanism = mechanism;
        this.shared = new SharedContext(mechanism);
        this.store = store;
    }

    long handle() {
        return handle;
    }

    ClientAddress client() {
        return client;
    }

    /** Returns the name of the other end; null until the context is established. */
    synchronized String principal() {
        return principal;
    }

    /** Returns the life of the context from its establishment, in nanoseconds. */
    synchronized long lifeNanos() {
        return lifeNanos;
    }

    /** Ends the context after its removal from the store. */
    void expire() {
        act(Event.EXPIRED);
    }

    /**
     * Applies an event. Takes the actions STORE and FORGET itself, and returns the remaining
     * action, or null.
     */
    private synchronized Action act(Event event) {
        var step = state.on(event);
        state = step.next();
        Action owed = null;
        for (var action : step.actions()) {
            switch (action) {
                case STORE -> store.store(this, state == ServerContextState.ESTABLISHED);
                case FORGET -> {
                    store.forget(this);
                    shared.retire();
                }
                case STEP,
                        VERIFY,
                        CONFIRM,
                        ANSWER,
                        ANSWER_SIGNED,
                        ANSWER_REFUSAL,
                        SERVE,
                        DROP,
                        DENY_CREDENTIAL,
                        DENY_CONTEXT ->
                        owed = action;
            }
        }
        return owed;
    }

    /** Processes a token of INIT or CONTINUE_INIT, one at a time. */
    synchronized Admission negotiate(byte[] token) {
        if (act(Event.TOKEN) != Action.STEP) {
            return new Admission.Denied(ReplyHeader.RPCSEC_GSS_CREDPROBLEM);
        }
        try {
            byte[] answer = mechanism.step(token);
            if (!mechanism.isEstablished()) {
                act(Event.MORE_NEEDED);
                return answer(GssInitResult.CONTINUE_NEEDED, answer, RawAuth.NONE);
            }
            byte[] mic = mechanism.mic(GssBody.bytes(SequenceWindow.SIZE));
            principal = mechanism.peer();
            // The store has a lower bound of its own.
            lifeNanos =
                    mechanism.lifetime().compareTo(LIFE_MAX) < 0
                            ? Timeouts.nanos(mechanism.lifetime())
                            : LIFE_MAX.toNanos();
            act(Event.COMPLETE);
            return answer(GssInitResult.COMPLETE, answer, GssCredential.verifier(mic));
        } catch (GssException refused) {
            LOG.log(Level.DEBUG, () -> "a context was refused: " + refused.getMessage());
            act(Event.FAILED);
            return refusal(refused);
        }
    }

    /** Returns the reply to a client whose token was refused (RFC 2203, Section 5.2.3.2). */
    static Admission refusal(GssException refused) {
        var result =
                new GssInitResult(new byte[0], refused.major(), refused.minor(), 0, new byte[0]);
        return new Admission.Answered(RawAuth.NONE, result::encode);
    }

    private Admission answer(int major, byte[] token, RawAuth verifier) {
        var result =
                new GssInitResult(
                        ContextHandle.bytes(handle), major, 0, SequenceWindow.SIZE, token);
        return new Admission.Answered(verifier, result::encode);
    }

    /** Judges a call of DATA or DESTROY. */
    Admission admit(CallHeader header, GssCredential credential, XdrReader arguments) {
        shared.enter();
        boolean handedOn = false;
        try {
            var owed = act(Event.CALL);
            if (owed == Action.VERIFY) {
                owed = act(verify(header, credential));
            }
            if (owed == Action.SERVE && credential.procedure() == GssProcedure.DESTROY) {
                owed = act(Event.DESTROY);
            }
            return switch (owed) {
                case SERVE -> {
                    var admission = serve(credential, arguments);
                    handedOn = !(admission instanceof Admission.Denied);
                    yield admission;
                }
                case CONFIRM -> new Admission.Answered(verifier(credential), _ -> {});
                case DROP -> new Admission.Dropped();
                case DENY_CONTEXT -> new Admission.Denied(ReplyHeader.RPCSEC_GSS_CTXPROBLEM);
                case DENY_CREDENTIAL -> new Admission.Denied(ReplyHeader.RPCSEC_GSS_CREDPROBLEM);
                case STEP, VERIFY, STORE, FORGET, ANSWER, ANSWER_SIGNED, ANSWER_REFUSAL ->
                        throw new AssertionError(owed + " for a call");
            };
        } catch (GssException unsigned) {
            // Without a verifier, the client could not trust a reply (RFC 2203, Section 5.3.3.4.1).
            return new Admission.Denied(ReplyHeader.RPCSEC_GSS_CTXPROBLEM);
        } finally {
            if (!handedOn) {
                shared.leave();
            }
        }
    }

    private Event verify(CallHeader header, GssCredential credential) {
        var verifier = header.verifier();
        if (verifier.flavor() != GssCredential.FLAVOR) {
            return Event.UNSIGNED;
        }
        try {
            mechanism.verify(
                    header.bytesToVerifier(), verifier.body().toArray(ValueLayout.JAVA_BYTE));
        } catch (GssException _) {
            return Event.UNSIGNED;
        }
        synchronized (this) {
            return switch (window.take(credential.sequence())) {
                case FRESH -> Event.FRESH;
                case STALE -> Event.STALE;
                case BEYOND -> Event.BEYOND;
            };
        }
    }

    private RawAuth verifier(GssCredential credential) throws GssException {
        return GssCredential.verifier(mechanism.mic(GssBody.bytes(credential.sequence())));
    }

    private Admission serve(GssCredential credential, XdrReader arguments) throws GssException {
        var service = credential.service();
        var caller = new Credential.Principal(mechanism.peer(), service.flavor());
        var protection = new Protection(credential, verifier(credential));
        if (service == GssService.NONE) {
            return new Admission.Admitted(caller, arguments, protection);
        }
        try {
            var content = GssBody.unwrap(service, mechanism, credential.sequence(), arguments);
            return new Admission.Admitted(caller, content, protection);
        } catch (XdrException | GssException _) {
            return new Admission.Garbled(protection);
        }
    }

    /** Signs and wraps the reply to one call. */
    private final class Protection implements ReplyProtection {
        private final GssCredential credential;
        private final RawAuth verifier;

        Protection(GssCredential credential, RawAuth verifier) {
            this.credential = credential;
            this.verifier = verifier;
        }

        @Override
        public RawAuth verifier() {
            return verifier;
        }

        @Override
        public boolean wrapsData() {
            return credential.service() != GssService.NONE;
        }

        @Override
        public AcceptStatus wrap(XdrWriter results, XdrWriter reply) {
            try {
                GssBody.wrap(
                        credential.service(), mechanism, credential.sequence(), results, reply);
                return AcceptStatus.SUCCESS;
            } catch (GssException failure) {
                LOG.log(Level.ERROR, () -> "a reply cannot be wrapped: " + failure.getMessage());
                return AcceptStatus.SYSTEM_ERR;
            }
        }

        @Override
        public void close() {
            shared.leave();
        }
    }
}
