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
 * <p>Tests: {@code HoldingTest}, {@code OurServerAccessTest}.
 *
 * @param access READ, WRITE or both bits, and a wish for a delegation
 * @param deny what others may not do: bits, or 0
 * @param claims what names the file
 * @param owner the name of the open owner within the case
 * @param keeps as what its stateid is known to later steps
 */
record Opening(
        String path,
        int access,
        int deny,
        Creation creation,
        Claim claims,
        String owner,
        Held keeps) {
    static final int READ = StateArguments.Open.READ;
    static final int WRITE = StateArguments.Open.WRITE;
    static final int BOTH = StateArguments.Open.BOTH;

    /** The verifier of exclusive creation that a file of the table was made with. */
    private static final long FIRST_VERIFIER = 0x0123_4567_7654_3210L;

    /** What names the file of an OPEN. */
    enum Claim {
        NAME("", false),
        HANDLE(" by handle", true),
        DELEGATED_NAME(" by name and delegation", false),
        DELEGATED_HANDLE(" by handle and delegation", true);

        private final String words;
        private final boolean isOfHandle;

        Claim(String words, boolean isOfHandle) {
            this.words = words;
            this.isOfHandle = isOfHandle;
        }

        /** Returns the text for a line of the table, which begins with a space if there is any. */
        String words() {
            return words;
        }
    }

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
        return new Opening(path, access, 0, Creation.NONE, Claim.NAME, "owner", Held.OPEN);
    }

    Opening denying(int others) {
        return new Opening(path, access, others, creation, claims, owner, keeps);
    }

    Opening making(Creation how) {
        return new Opening(path, access, deny, how, claims, owner, keeps);
    }

    Opening claiming(Claim how) {
        return new Opening(path, access, deny, creation, how, owner, keeps);
    }

    /** Returns an OPEN that asks for a delegation for reading. */
    Opening wishing() {
        return wishing(StateArguments.Open.WANT_READ_DELEG);
    }

    /** Returns an OPEN that wants no delegation. In version 4.0 there is no such wish. */
    Opening declining() {
        return wishing(StateArguments.Open.WANT_NO_DELEG);
    }

    private Opening wishing(int wish) {
        return new Opening(path, access | wish, deny, creation, claims, owner, keeps);
    }

    private boolean isWishing() {
        return (access & StateArguments.Open.WANT_DELEG_MASK)
                == StateArguments.Open.WANT_READ_DELEG;
    }

    Opening byHandle() {
        return claiming(Claim.HANDLE);
    }

    /** Returns an OPEN of another open owner, whose stateid is a second one. */
    Opening second() {
        return new Opening(path, access, deny, creation, claims, "second", Held.SECOND);
    }

    static String words(int bits) {
        return switch (bits & BOTH) {
            case 0 -> "none";
            case READ -> "R";
            case WRITE -> "W";
            default -> "RW";
        };
    }

    /** Returns this OPEN as a step without whose success, or delegation, the case ends. */
    Step step() {
        var words = new StringBuilder("OPEN ").append(path).append(' ').append(words(access));
        if (deny != 0) {
            words.append(" deny ").append(words(deny));
        }
        words.append(claims.words);
        if (isWishing()) {
            words.append(" with the wish for a delegation");
        }
        if (!creation.words().isEmpty()) {
            words.append(' ').append(creation.words());
        }
        if (keeps == Held.SECOND) {
            words.append(" of another owner");
        }
        return Step.of(words.toString(), this::operations)
                .gives(path, keeps)
                .needing(isWishing() ? Step.Needs.DELEGATION : Step.Needs.SUCCESS);
    }

    private OpenClaim claim(Holding holding) {
        var name = FileName.of(path.substring(path.lastIndexOf('/') + 1));
        return switch (claims) {
            case NAME -> new OpenClaim.Name(name);
            case HANDLE -> new OpenClaim.Handle();
            case DELEGATED_NAME ->
                    new OpenClaim.DelegatedName(holding.stateId(Held.DELEGATION), name);
            case DELEGATED_HANDLE ->
                    new OpenClaim.DelegatedHandle(holding.stateId(Held.DELEGATION));
        };
    }

    private List<Arguments> operations(Holding holding) {
        int slash = path.lastIndexOf('/');
        var directory = slash < 0 ? "." : path.substring(0, slash);
        return List.of(
                holding.put(claims.isOfHandle ? path : directory),
                new StateArguments.Open(
                        holding.count(owner),
                        access,
                        deny,
                        holding.owner(owner),
                        creation.how().of(holding.oldTimes()),
                        claim(holding)),
                new HandleArguments.GetFh());
    }
}
