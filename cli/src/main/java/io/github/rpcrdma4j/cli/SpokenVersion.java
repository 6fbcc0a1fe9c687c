package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.Version2;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option to choose the version of RPC-over-RDMA. */
final class SpokenVersion {
    /** What may be spoken. */
    enum Choice {
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

    /** Words as they are typed. */
    static final class Words implements ITypeConverter<Choice> {
        @Override
        public Choice convert(String word) {
            return Choice.of(word);
        }
    }

    @Option(
            names = "--rpcrdma-version",
            paramLabel = "1|2|auto",
            converter = Words.class,
            description =
                    "The version of RPC-over-RDMA (${DEFAULT-VALUE}); auto: 2 with whoever speaks"
                            + " it, and 1 with everybody else.")
    private Choice choice;

    /**
     * @param usual what is spoken without the option
     */
    SpokenVersion(Choice usual) {
        choice = usual;
    }

    RpcRdmaOptions options() {
        return switch (choice) {
            case ONE -> RpcRdmaOptions.DEFAULT;
            case TWO -> RpcRdmaOptions.DEFAULT.withVersion2(Version2.DEFAULT.withSpeaks1(false));
            case AUTO -> RpcRdmaOptions.DEFAULT.withVersion2(Version2.DEFAULT);
        };
    }
}
