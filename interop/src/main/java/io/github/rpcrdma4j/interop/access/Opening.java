package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import java.util.List;

/**
 * A way to open a file.
 *
 * @param access READ, WRITE or both bits
 * @param deny what others may not do: bits, or 0
 * @param isByHandle whether the claim is CLAIM_FH, in place of the name
 * @param owner the name of the open owner within the case
 * @param keeps as what its stateid is known to later steps
 */
record Opening(
        String path,
        int access,
        int deny,
        Creation creation,
        boolean isByHandle,
        String owner,
        Held keeps) {
    static final int READ = StateArguments.Open.READ;
    static final int WRITE = StateArguments.Open.WRITE;
    static final int BOTH = StateArguments.Open.BOTH;

    /** The verifier of exclusive creation that a file of the table was made with. */
    private static final long FIRST_VERIFIER = 0x0123_4567_7654_3210L;

    /** Makes a creation, from the verifier that the server reads as the times of the files. */
    interface How {
        OpenCreation of(long oldTimes);
    }

    /**
     * Whether and how an OPEN makes a file.
     *
     * @param words the text for a line of the table, empty for no creation
     */
    record Creation(String words, How how) {
        static final Creation NONE = new Creation("", _ -> new OpenCreation.None());
        static final Creation EXCLUSIVE =
                new Creation("EXCLUSIVE4", _ -> new OpenCreation.Exclusive(FIRST_VERIFIER));
        static final Creation EXCLUSIVE_OF_TIMES =
                new Creation("EXCLUSIVE4 of its times", OpenCreation.Exclusive::new);

        static Creation unchecked(SetAttributes attributes) {
            return new Creation(
                    ("UNCHECKED4 " + Steps.words(attributes)).strip(),
                    _ -> new OpenCreation.Unchecked(Steps.encoded(attributes)));
        }

        static Creation guarded(SetAttributes attributes) {
            return new Creation(
                    ("GUARDED4 " + Steps.words(attributes)).strip(),
                    _ -> new OpenCreation.Guarded(Steps.encoded(attributes)));
        }

        static Creation exclusive41(SetAttributes attributes) {
            return new Creation(
                    ("EXCLUSIVE4_1 " + Steps.words(attributes)).strip(),
                    _ ->
                            new OpenCreation.ExclusiveWithAttributes(
                                    FIRST_VERIFIER, Steps.encoded(attributes)));
        }

        static Creation exclusive41OfTimes(SetAttributes attributes) {
            return new Creation(
                    ("EXCLUSIVE4_1 of its times " + Steps.words(attributes)).strip(),
                    oldTimes ->
                            new OpenCreation.ExclusiveWithAttributes(
                                    oldTimes, Steps.encoded(attributes)));
        }
    }

    /** Returns an OPEN of an existing file by its name. */
    static Opening of(String path, int access) {
        return new Opening(path, access, 0, Creation.NONE, false, "owner", Held.OPEN);
    }

    Opening denying(int others) {
        return new Opening(path, access, others, creation, isByHandle, owner, keeps);
    }

    Opening making(Creation how) {
        return new Opening(path, access, deny, how, isByHandle, owner, keeps);
    }

    Opening byHandle() {
        return new Opening(path, access, deny, creation, true, owner, keeps);
    }

    /** Returns an OPEN of another open owner, whose stateid is a second one. */
    Opening second() {
        return new Opening(path, access, deny, creation, isByHandle, "second", Held.SECOND);
    }

    static String words(int bits) {
        return switch (bits) {
            case 0 -> "none";
            case READ -> "R";
            case WRITE -> "W";
            default -> "RW";
        };
    }

    /** Returns this OPEN as a step whose failure ends the case. */
    Step step() {
        var words = new StringBuilder("OPEN ").append(path).append(' ').append(words(access));
        if (deny != 0) {
            words.append(" deny ").append(words(deny));
        }
        if (isByHandle) {
            words.append(" by handle");
        }
        if (!creation.words().isEmpty()) {
            words.append(' ').append(creation.words());
        }
        if (keeps == Held.SECOND) {
            words.append(" of another owner");
        }
        return Step.of(words.toString(), this::operations).gives(path, keeps).required();
    }

    private List<Arguments> operations(Holding holding) {
        int slash = path.lastIndexOf('/');
        var directory = slash < 0 ? "." : path.substring(0, slash);
        var claim =
                isByHandle
                        ? new OpenClaim.Handle()
                        : new OpenClaim.Name(FileName.of(path.substring(slash + 1)));
        return List.of(
                holding.put(isByHandle ? path : directory),
                new StateArguments.Open(
                        holding.count(owner),
                        access,
                        deny,
                        holding.owner(owner),
                        creation.how().of(holding.oldTimes()),
                        claim),
                new HandleArguments.GetFh());
    }
}
