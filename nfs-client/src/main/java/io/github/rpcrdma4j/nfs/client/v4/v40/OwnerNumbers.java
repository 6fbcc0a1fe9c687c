package io.github.rpcrdma4j.nfs.client.v4.v40;

import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.function.Consumer;

/**
 * An open-owner and the lock-owner beside it, as one incarnation of a client has them: it puts
 * their name and their numbers into plans, which have none, and reads from answers what became of
 * these. A plan has one operation of each owner at most. Used by one thread at a time.
 */
public final class OwnerNumbers {
    private final StateOwner owner;
    private final OwnerSequence opens = new OwnerSequence();
    private OwnerSequence locks = new OwnerSequence();

    /**
     * @param owner the name of both owners, with their client
     */
    public OwnerNumbers(StateOwner owner) {
        this.owner = owner;
    }

    /** Returns the client that the owners are of. */
    public long clientId() {
        return owner.clientId();
    }

    /** Returns whether an owner is of no further use. */
    public boolean isGone() {
        return opens.state() == OwnerSequence.State.GONE
                || locks.state() == OwnerSequence.State.GONE;
    }

    /** Returns whether nobody knows what became of an operation. */
    public boolean isInDoubt() {
        return opens.state() == OwnerSequence.State.IN_DOUBT
                || locks.state() == OwnerSequence.State.IN_DOUBT;
    }

    /** Hears that the server has forgotten the lock-owner, as it was asked to. */
    public void released() {
        locks = new OwnerSequence();
    }

    /** Returns a plan with the numbers that its operations have now, as version 4.0 has them. */
    public Plan numbered(Plan plan) {
        return new Plan(
                plan.operations().stream().map(this::numbered).toList(),
                plan.resultsMax(),
                plan.isRepeatable(),
                plan.targets());
    }

    private Arguments numbered(Arguments operation) {
        return switch (operation) {
            // The wishes about delegations are of later versions.
            case StateArguments.Open open ->
                    new StateArguments.Open(
                            opens.number(),
                            open.access() & StateArguments.Open.BOTH,
                            open.deny(),
                            owner,
                            open.creation(),
                            open.claim());
            case StateArguments.OpenConfirm(var open, _) ->
                    new StateArguments.OpenConfirm(open, opens.number());
            case StateArguments.Close(_, var open) ->
                    new StateArguments.Close(opens.number(), open);
            case LockArguments.Lock lock ->
                    new LockArguments.Lock(
                            lock.type(),
                            lock.isReclaim(),
                            lock.offset(),
                            lock.length(),
                            numbered(lock.locker()));
            case LockArguments.LockU unlock ->
                    new LockArguments.LockU(
                            unlock.type(),
                            locks.number(),
                            unlock.lock(),
                            unlock.offset(),
                            unlock.length());
            case LeaseArguments.ReleaseLockOwner _ -> new LeaseArguments.ReleaseLockOwner(owner);
            default -> operation;
        };
    }

    private Locker numbered(Locker locker) {
        return switch (locker) {
            case Locker.NewOwner(_, var open, _, _) ->
                    new Locker.NewOwner(opens.number(), open, locks.number(), owner);
            case Locker.Existing(var lock, _) -> new Locker.Existing(lock, locks.number());
        };
    }

    /**
     * Begins with a plan.
     *
     * @throws IllegalStateException if an owner is gone
     */
    public void begin(Plan plan) {
        plan.operations().forEach(each -> owners(each, OwnerSequence::begin));
    }

    /** Ends a plan that was answered. What cannot be understood counts as no answer at all. */
    public void end(Plan plan, Answer answer) {
        if (answer.malformed().isPresent()) {
            endUnheard(plan);
            return;
        }
        var operations = plan.operations();
        for (int i = 0; i < operations.size(); i++) {
            var event =
                    i < answer.results().size()
                            ? OwnerSequence.Event.of(answer.results().get(i).status())
                            : OwnerSequence.Event.LEFT_OUT;
            owners(operations.get(i), owner -> owner.end(event));
        }
    }

    /** Ends a plan that was not answered. */
    public void endUnheard(Plan plan) {
        plan.operations()
                .forEach(each -> owners(each, owner -> owner.end(OwnerSequence.Event.UNHEARD)));
    }

    /** Does something with the owners that number an operation. */
    private void owners(Arguments operation, Consumer<OwnerSequence> action) {
        switch (operation) {
            case StateArguments.Open _, StateArguments.OpenConfirm _, StateArguments.Close _ ->
                    action.accept(opens);
            case LockArguments.LockU _ -> action.accept(locks);
            case LockArguments.Lock lock -> {
                action.accept(locks);
                if (lock.locker() instanceof Locker.NewOwner) {
                    action.accept(opens);
                }
            }
            default -> {}
        }
    }

    /** Returns whether the numbers of owners keep a server from carrying out a plan twice. */
    public static boolean isNumbered(Plan plan) {
        return plan.operations().stream()
                .anyMatch(
                        each ->
                                each instanceof StateArguments.Open
                                        || each instanceof StateArguments.OpenConfirm
                                        || each instanceof StateArguments.Close
                                        || each instanceof LockArguments.Lock
                                        || each instanceof LockArguments.LockU);
    }
}
