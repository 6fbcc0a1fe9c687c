package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import java.util.Arrays;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options that choose the version of RPC-over-RDMA, and the extensions of its version 2.
 *
 * <p>Tests: {@code VersionsTest}.
 */
@Section(Section.Heading.CONNECTION)
public final class VersionOptions {
    /** The versions that may be used. */
    public enum Choice {
        ONE("1"),
        TWO("2"),
        AUTO("auto");

        private final String word;

        Choice(String word) {
            this.word = word;
        }

        static Choice of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("it is 1, 2 or auto"));
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** The optional extensions of version 2. */
    enum Extension {
        /** Message continuation: one message in several Sends. */
        CONTINUATION("continuation"),
        /** Send-based placement: bulk data in the peer's receives. */
        PLACEMENT("placement"),
        /** Fetched replies: the client reads long replies from the server's memory. */
        READ_CHUNKS("read-chunks"),
        /** No extension. */
        NONE("none");

        private final String word;

        Extension(String word) {
            this.word = word;
        }

        static Extension of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "an extension is continuation, placement or"
                                                    + " read-chunks"));
        }
    }

    /** Converts the argument of the option for the version. */
    static final class ChoiceWords implements ITypeConverter<Choice> {
        @Override
        public Choice convert(String word) {
            return Choice.of(word);
        }
    }

    /** Converts an argument of the option for extensions. */
    static final class ExtensionWords implements ITypeConverter<Extension> {
        @Override
        public Extension convert(String word) {
            return Extension.of(word);
        }
    }

    @Option(
            names = "--rpcrdma-version",
            paramLabel = "1|2|auto",
            converter = ChoiceWords.class,
            description =
                    "The version of RPC-over-RDMA (${DEFAULT-VALUE}); auto: 2 with a peer that"
                            + " speaks it, and else 1.")
    private Choice choice;

    private final Choice usual;

    @Option(
            names = "--extensions",
            paramLabel = "NAME",
            split = ",",
            converter = ExtensionWords.class,
            description =
                    "Of RPC-over-RDMA version 2, use these wherever they can be: continuation, placement,"
                            + " read-chunks; or none (default: all, chosen by cost).")
    private Set<Extension> extensions;

    private WireProfile profile;

    /**
     * Creates the options.
     *
     * @param usual the version used without the option
     */
    public VersionOptions(Choice usual) {
        this.usual = usual;
        choice = usual;
    }

    /**
     * Checks that no option selects version 2.
     *
     * @param option the option that excludes version 2
     * @throws IllegalArgumentException if an option selects it
     */
    void requireVersion1(String option) {
        if (extensions != null || choice != Choice.ONE && choice != usual) {
            throw new IllegalArgumentException(
                    option
                            + " is for RPC-over-RDMA version 1: leave out --rpcrdma-version and --extensions");
        }
    }

    /**
     * Returns the wire profile that the options select. It is always the same one, because it
     * remembers which servers speak version 1 alone.
     */
    public synchronized WireProfile profile() {
        if (profile == null) {
            profile = selected();
        }
        return profile;
    }

    private WireProfile selected() {
        return switch (choice) {
            case ONE -> WireProfile.RFC_8166;
            case TWO -> new Version2Profile(version2().withSpeaks1(false));
            case AUTO -> new Version2Profile(version2());
        };
    }

    private Version2 version2() {
        if (extensions == null) {
            return Version2.DEFAULT;
        }
        var base = Version2.DEFAULT.withoutTransmissions().withoutFetchedReplies();
        return transmissions(
                extensions.contains(Extension.READ_CHUNKS)
                        ? base.withFetchedReplies(
                                FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER))
                        : base);
    }

    private Version2 transmissions(Version2 base) {
        boolean continues = extensions.contains(Extension.CONTINUATION);
        boolean places = extensions.contains(Extension.PLACEMENT);
        var usual = Transmissions.DEFAULT;
        return continues || places
                ? base.withTransmissions(
                        new Transmissions(
                                continues ? usual.requestMax() : 1,
                                continues ? usual.responseMax() : 1,
                                places ? usual.segments() : 0,
                                places ? usual.segmentBytes() : 0,
                                places ? TransferPolicy.PLACED : TransferPolicy.CONTINUED))
                : base;
    }
}
