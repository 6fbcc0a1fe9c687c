package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.connection.Loss;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import java.util.Collection;
import java.util.Optional;

/**
 * Connections that end because this side gave up a call. A call that was sent is known until it is
 * answered, and only until then may the responder use its memory. So its handles are known for as
 * long as they can be this side's fault, and there are no more such calls than credits. Pure.
 */
final class GivenUp {
    /** What is posted cannot be taken back. */
    static final Loss WHILE_SENDING =
            new Loss.CallGivenUp(
                    "this side gave up a call while it still sent its data, and so had to end the"
                            + " connection");

    private GivenUp() {}

    /**
     * Whether a handle is one of a call that was given up.
     *
     * @param calls that have no reply
     * @param used with what the peer reached for memory
     * @return empty if it is not
     */
    static Optional<Loss> of(Collection<PendingCall> calls, UnknownHandle used) {
        return calls.stream()
                .filter(call -> call.state() == CallState.ABANDONED)
                .filter(call -> call.exposed().holds(used.handle()))
                .findFirst()
                .map(call -> new Loss.CallGivenUp(words(call, used.use())));
    }

    private static String words(PendingCall call, UnknownHandle.Use use) {
        var late =
                switch (use) {
                    case READ -> "read from";
                    case WRITE -> "wrote to";
                    case INVALIDATE -> "invalidated";
                };
        return "this side gave up a call ("
                + why(call)
                + "), and the peer "
                + late
                + " the memory of that call afterwards, which ended the connection";
    }

    private static String why(PendingCall call) {
        return switch (call.answer()) {
            case Answer.Failure(var reason) -> reason.getMessage();
            case Answer.Reply _ -> throw new AssertionError("a call was given up and answered");
        };
    }
}
