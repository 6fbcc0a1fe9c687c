package io.github.rpcrdma4j.cli.terminal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The heading under which help pages list an option, or all options of a class. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
public @interface Section {
    Heading value();

    /** The headings, in the order of a help page. */
    enum Heading {
        /** Options specific to a command. */
        OPTIONS("Options"),
        /** Options about the identity of callers. */
        SECURITY("Security"),
        /** Options about the connection to the peer. */
        CONNECTION("Connection"),
        /** Options that every command has. */
        EVERY_COMMAND("Every command");

        private final String words;

        Heading(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }
}
