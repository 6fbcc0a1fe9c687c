package io.github.rpcrdma4j.bench.files;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A checkout of this project, to measure its server.
 *
 * @param name its name in the table
 * @param checkout the directory of the checkout
 * @param options the options of the export, as {@code serve --allow} takes them; empty for the
 *     default ones
 */
record Build(String name, Path checkout, String options) {
    private static final String OPTIONS_MARK = "+";

    /** Returns the path of the build's command. */
    Path command() {
        return checkout.resolve("rpcrdma");
    }

    /** Returns the rule of the server's export. */
    String rule() {
        return options.isEmpty() ? "any" : "any," + options;
    }

    /** Parses NAME=DIRECTORY[+OPTIONS]. */
    static final class Converter implements ITypeConverter<Build> {
        @Override
        public Build convert(String text) {
            int equals = text.indexOf('=');
            int mark = text.lastIndexOf(OPTIONS_MARK);
            if (equals < 1) {
                throw new TypeConversionException("'" + text + "' is not NAME=DIRECTORY[+OPTIONS]");
            }
            var directory = text.substring(equals + 1, mark > equals ? mark : text.length());
            var build =
                    new Build(
                            text.substring(0, equals),
                            Path.of(directory),
                            mark > equals ? text.substring(mark + 1) : "");
            if (!Files.isExecutable(build.command())) {
                throw new TypeConversionException("there is no " + build.command());
            }
            return build;
        }
    }
}
