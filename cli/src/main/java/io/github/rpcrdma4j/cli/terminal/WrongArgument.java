package io.github.rpcrdma4j.cli.terminal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Tells a user which arguments an option takes, in the words that the user types. */
public final class WrongArgument {
    /** How the parser begins, before the words of a converter. */
    private static final String BEGIN = "Invalid value for option '[^']+'( \\([^)]*\\))?: ";

    private WrongArgument() {}

    /** Returns what is wrong, in one line. */
    public static String words(ParameterException wrong) {
        var words = String.valueOf(wrong.getMessage());
        if (wrong instanceof MissingParameterException missing
                && words.startsWith("positional parameter at index ")) {
            var command = missing.getCommandLine().getCommandSpec().name();
            return command + " needs " + missing.getMissing().getFirst().paramLabel();
        }
        if (!(wrong.getArgSpec() instanceof OptionSpec option)
                || !words.matches("(?s)" + BEGIN + ".*")) {
            return words;
        }
        var name = option.longestName();
        var type = option.typeInfo().getType();
        if (option.converters().length > 0) {
            return name + ": " + words.replaceFirst(BEGIN, "");
        }
        if (type.isEnum()) {
            return name + " is " + choice(type.getEnumConstants()) + but(wrong);
        }
        if (type == int.class || type == Integer.class) {
            return name + " is a number up to " + Integer.MAX_VALUE + but(wrong);
        }
        if (type == long.class || type == Long.class) {
            return name + " is a number up to " + Long.MAX_VALUE + but(wrong);
        }
        return words;
    }

    private static String but(ParameterException wrong) {
        return wrong.getValue() == null ? "" : ", not " + wrong.getValue();
    }

    private static String choice(Object... constants) {
        List<String> words =
                Arrays.stream(constants)
                        .map(each -> each.toString().toLowerCase(Locale.ROOT))
                        .toList();
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }
}
