#!/usr/bin/env python3
"""Uses the local AWS port as an application does: with boto3, and with a state machine of its own.

Starts the system and the scripted partner itself, on free ports. Every wait has a deadline.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = ROOT / "target" / "debug"
DEADLINE_S = 60
ROLE = "arn:aws:iam::000000000000:role/nobody"
CIRCUIT = "wholesaler-stock"


class Program:
    """A child process that says on its standard output, as JSON, where it listens."""

    def __init__(self, name, *arguments):
        self.process = subprocess.Popen(
            [BINARIES / name, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )

    def ready(self, key):
        """The first line of output that is a JSON object with this key."""
        found = []
        heard = threading.Event()

        def listen():
            # Reads on after the line was found, so that the child never waits for its reader.
            for line in self.process.stdout:
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    if not found and isinstance(said, dict) and key in said:
                        found.append(said)
                        heard.set()
            heard.set()

        threading.Thread(target=listen, daemon=True).start()
        heard.wait(DEADLINE_S)
        if not found:
            raise RuntimeError(f"{self.process.args[0]} did not become ready")
        return found[0]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class Checks:
    """Counts what holds and what does not, and goes on."""

    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, expected, actual):
        if expected == actual:
            self.passed += 1
            print(f"  ok      {what}")
        else:
            self.failed += 1
            print(f"  FAILED  {what}\n          expected: {expected!r}\n          actual:   {actual!r}")

    def refused(self, what, code, call):
        try:
            call()
            actual = "no error"
        except ClientError as error:
            actual = error.response["Error"]["Code"]
        self.equal(what, code, actual)


def definition(table):
    """A machine that has nothing of the breaker: it looks an item up, and says what stands in it."""
    return json.dumps(
        {
            "StartAt": "Read Item",
            "States": {
                "Read Item": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::dynamodb:getItem",
                    "Parameters": {"TableName": table, "Key": {"circuit": {"S.$": "$.key"}}},
                    "ResultPath": "$.read",
                    "TimeoutSeconds": 5,
                    "Next": "Is There One?",
                },
                "Is There One?": {
                    "Type": "Choice",
                    "Choices": [{"Variable": "$.read.Item.note.S", "IsPresent": True, "Next": "Say It"}],
                    "Default": "Nothing There",
                },
                "Say It": {"Type": "Pass", "Parameters": {"note.$": "$.read.Item.note.S"}, "End": True},
                "Nothing There": {"Type": "Fail", "Error": "NothingThere", "Cause": "no item of this key"},
            },
        }
    )


def write_policy(folder, partner):
    policy = {
        "circuit": CIRCUIT,
        "route": {"method": "GET", "path": "/books/{isbn}/delivery-time"},
        "params": {"isbn": "[0-9]{10}|[0-9]{13}"},
        "call": {"url": partner + "/api/stock/{isbn}", "timeoutMs": 2000},
        "fallback": {"body": {"deliveryDays": None}},
    }
    (pathlib.Path(folder) / f"{CIRCUIT}.json").write_text(json.dumps(policy))


def started_to_its_end(sfn, machine, given):
    """Starts an execution the asynchronous way and describes it until it is over."""
    started = sfn.start_execution(stateMachineArn=machine, name=f"sdk-{uuid.uuid4()}", input=json.dumps(given))
    end = time.monotonic() + DEADLINE_S
    while True:
        described = sfn.describe_execution(executionArn=started["executionArn"])
        if described["status"] != "RUNNING":
            return described
        if time.monotonic() > end:
            raise RuntimeError(f"the execution was still running after {DEADLINE_S} s")
        time.sleep(0.02)


def use_step_functions(checks, sfn, table, key):
    created = sfn.create_state_machine(
        name=f"sdk-{uuid.uuid4().hex[:8]}", definition=definition(table), roleArn=ROLE, type="EXPRESS"
    )
    machine = created["stateMachineArn"]
    described = sfn.describe_state_machine(stateMachineArn=machine)
    checks.equal("a created machine is described as it was given", definition(table), described["definition"])
    listed = [each["stateMachineArn"] for paged in sfn.get_paginator("list_state_machines").paginate()
              for each in paged["stateMachines"]]
    checks.equal("it is listed", True, machine in listed)

    together = sfn.start_sync_execution(stateMachineArn=machine, input=json.dumps({"key": key}))
    checks.equal("started synchronously, it succeeds", "SUCCEEDED", together["status"])
    checks.equal("its output is what stands in the item", {"note": "from boto3"}, json.loads(together["output"]))
    apart = started_to_its_end(sfn, machine, {"key": key})
    checks.equal("started asynchronously, it succeeds too", "SUCCEEDED", apart["status"])
    checks.equal("with the same output", together["output"], apart["output"])

    for way, ended in [
        ("synchronously", sfn.start_sync_execution(stateMachineArn=machine, input='{"key": "no-such-item"}')),
        ("asynchronously", started_to_its_end(sfn, machine, {"key": "no-such-item"})),
    ]:
        failure = (ended["status"], ended.get("error"), ended.get("cause"))
        checks.equal(f"a failure is told {way}", ("FAILED", "NothingThere", "no item of this key"), failure)

    checks.refused(
        "a machine that leads nowhere is refused",
        "InvalidDefinition",
        lambda: sfn.create_state_machine(
            name="nowhere",
            definition='{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}}}',
            roleArn=ROLE,
            type="EXPRESS",
        ),
    )
    sfn.delete_state_machine(stateMachineArn=machine)
    checks.refused(
        "a deleted machine can't be started",
        "StateMachineDoesNotExist",
        lambda: sfn.start_sync_execution(stateMachineArn=machine, input="{}"),
    )


SAY = {
    "Type": "Pass",
    "Parameters": {"greeting.$": "States.Format('Hello {}', $.name)"},
    "ResultPath": "$.said",
    "End": True,
}
LINGER = {"Type": "Wait", "Seconds": 3600, "End": True}


def machine_of(sfn, state, kind, **more):
    """A machine of one state; its ARN."""
    text = json.dumps({"StartAt": "Only", "States": {"Only": state}})
    name = f"sdk-{uuid.uuid4().hex[:8]}"
    return sfn.create_state_machine(name=name, definition=text, roleArn=ROLE, type=kind, **more)["stateMachineArn"]


def use_executions(checks, sfn):
    """What a STANDARD machine's executions can be asked, and what can be asked without any."""
    machine = machine_of(sfn, SAY, "STANDARD", tags=[{"key": "team", "value": "books"}])
    ended = started_to_its_end(sfn, machine, {"name": "Ada"})
    arn = ended["executionArn"]
    pages = sfn.get_paginator("get_execution_history").paginate(
        executionArn=arn, PaginationConfig={"PageSize": 2}
    )
    events = [event for paged in pages for event in paged["events"]]
    checks.equal(
        "its history is read page by page",
        [(1, 0, "ExecutionStarted"), (2, 0, "PassStateEntered"), (3, 2, "PassStateExited"), (4, 3, "ExecutionSucceeded")],
        [(event["id"], event["previousEventId"], event["type"]) for event in events],
    )
    output = {"name": "Ada", "said": {"greeting": "Hello Ada"}}
    checks.equal("with what went out", output, json.loads(events[-1]["executionSucceededEventDetails"]["output"]))
    backwards = sfn.get_execution_history(executionArn=arn, reverseOrder=True, maxResults=1, includeExecutionData=False)
    last = backwards["events"][0]
    checks.equal("and backwards without data", (4, None),
                 (last["id"], last.get("executionSucceededEventDetails", {}).get("output")))
    checks.refused("a token of a page that nobody gave is refused", "InvalidToken",
                   lambda: sfn.get_execution_history(executionArn=arn, nextToken="nobody's"))
    ran_with = sfn.describe_state_machine_for_execution(executionArn=arn)
    checks.equal("an execution knows its machine", machine, ran_with["stateMachineArn"])

    lasting = machine_of(sfn, LINGER, "STANDARD")
    first = sfn.start_execution(stateMachineArn=lasting, name="once", input="{}")
    again = sfn.start_execution(stateMachineArn=lasting, name="once", input="{}")
    checks.equal("a name starts one execution", first["executionArn"], again["executionArn"])
    checks.refused("of one input", "ExecutionAlreadyExists",
                   lambda: sfn.start_execution(stateMachineArn=lasting, name="once", input="[]"))
    running = sfn.list_executions(stateMachineArn=lasting, statusFilter="RUNNING")["executions"]
    checks.equal("which is listed while it runs", ["once"], [execution["name"] for execution in running])
    sfn.stop_execution(executionArn=first["executionArn"], error="Sdk.Enough", cause="seen enough")
    stopped = sfn.describe_execution(executionArn=first["executionArn"])
    checks.equal("and stopped", ("ABORTED", "Sdk.Enough", "seen enough"),
                 (stopped["status"], stopped.get("error"), stopped.get("cause")))

    sfn.tag_resource(resourceArn=machine, tags=[{"key": "stage", "value": "test"}])
    sfn.untag_resource(resourceArn=machine, tagKeys=["team"])
    tags = sfn.list_tags_for_resource(resourceArn=machine)["tags"]
    checks.equal("a machine's tags change", [{"key": "stage", "value": "test"}], tags)

    tested = sfn.test_state(definition=json.dumps(SAY), input='{"name": "Ada"}', inspectionLevel="DEBUG")
    checks.equal("a single state is tested", ("SUCCEEDED", output), (tested["status"], json.loads(tested["output"])))
    result = json.loads(tested["inspectionData"]["afterParameters"])
    checks.equal("and seen through", {"greeting": "Hello Ada"}, result)
    found = sfn.validate_state_machine_definition(definition='{"StartAt": "A", "States": {"B": {"Type": "Succeed"}}}')
    checks.equal("a definition is checked without a machine", ("FAIL", "MISSING_TRANSITION_TARGET"),
                 (found["result"], found["diagnostics"][0]["code"]))
    for each in [machine, lasting]:
        sfn.delete_state_machine(stateMachineArn=each)


def use_strictly(checks, sfn):
    """As on AWS, nothing is told of EXPRESS executions."""
    machine = machine_of(sfn, SAY, "EXPRESS")
    together = sfn.start_sync_execution(stateMachineArn=machine, input='{"name": "Ada"}')
    checks.equal("an EXPRESS execution answers whoever waits for it", "SUCCEEDED", together["status"])
    arn = together["executionArn"]
    for what, code, call in [
        ("described", "InvalidArn", lambda: sfn.describe_execution(executionArn=arn)),
        ("given a history", "InvalidArn", lambda: sfn.get_execution_history(executionArn=arn)),
        ("listed", "StateMachineTypeNotSupported", lambda: sfn.list_executions(stateMachineArn=machine)),
    ]:
        checks.refused(f"afterwards it can't be {what}", code, call)
    standard = machine_of(sfn, SAY, "STANDARD")
    ended = started_to_its_end(sfn, standard, {"name": "Ada"})
    checks.equal("a STANDARD one can", "SUCCEEDED", ended["status"])


def use_lambda(checks, functions, partner):
    name = f"call-partner-{CIRCUIT}"
    payload = {
        "policy": {
            "circuit": CIRCUIT,
            "params": {"isbn": "[0-9]{13}"},
            "call": {
                "method": "GET",
                "url": partner + "/api/stock/{isbn}",
                "headers": {},
                "timeoutMs": 2000,
                "maxResponseBytes": 1000,
            },
        },
        "params": {"isbn": "9783161484100"},
        "circuit": {},
    }
    answered = functions.invoke(FunctionName=name, Payload=json.dumps(payload))
    result = json.loads(answered["Payload"].read())
    checks.equal("an invoked function answers", (200, None), (answered["StatusCode"], answered.get("FunctionError")))
    checks.equal("its outcome is a success", "success", result.get("outcome", {}).get("verdict"))
    checks.equal("with the partner's answer", '{"partner":"scripted"}', result.get("answer", {}).get("body"))

    answered = functions.invoke(FunctionName=name, Payload=json.dumps({"nonsense": True}))
    result = json.loads(answered["Payload"].read())
    checks.equal("a function's error is a 200 that says so", (200, True),
                 (answered["StatusCode"], bool(answered.get("FunctionError"))))
    checks.equal("by the name that the definition matches", "Stepbreaker.BadPayload", result.get("errorType"))
    checks.refused("an unknown function is refused", "ResourceNotFoundException",
                   lambda: functions.invoke(FunctionName="no-such-function", Payload="{}"))


def client_of(service, aws):
    # boto3 would put "sync-" before the host of StartSyncExecution and TestState.
    config = Config(inject_host_prefix=False, connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 1})
    return boto3.client(
        service,
        config=config,
        endpoint_url=aws,
        region_name="eu-central-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def use_all(checks, aws, partner):
    sfn, dynamodb, functions = (client_of(service, aws) for service in ["stepfunctions", "dynamodb", "lambda"])

    tables = dynamodb.list_tables()["TableNames"]
    checks.equal("there is one table", 1, len(tables))
    key = f"sdk-{uuid.uuid4()}"
    item = {"circuit": {"S": key}, "note": {"S": "from boto3"}}
    dynamodb.put_item(TableName=tables[0], Item=item)
    read = dynamodb.get_item(TableName=tables[0], Key={"circuit": {"S": key}})
    checks.equal("an item that was put is read", item, read.get("Item"))
    checks.refused(
        "a condition that does not hold is refused",
        "ConditionalCheckFailedException",
        lambda: dynamodb.put_item(
            TableName=tables[0], Item=item, ConditionExpression="attribute_not_exists(circuit)"
        ),
    )
    use_step_functions(checks, sfn, tables[0], key)
    use_executions(checks, sfn)
    use_lambda(checks, functions, partner)


def main():
    # Nothing of the developer's own account or proxy is used.
    for name in [name for name in os.environ if name.startswith("AWS_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="stepbreaker-sdk-") as circuits, contextlib.ExitStack() as programs:
        partner_program = Program("scripted-partner", "--port", "0", "--control-port", "0")
        programs.callback(partner_program.stop)
        partner = partner_program.ready("partner")["partner"]
        write_policy(circuits, partner)
        system = Program(
            "stepbreaker-local", "--circuits", circuits, "--port", "0", "--aws-port", "0", "--log-format", "json"
        )
        programs.callback(system.stop)
        aws = system.ready("aws")["aws"]
        strict = Program(
            "stepbreaker-local", "--strict", "--sfn-local", "--sfn-local-port", "0", "--port", "0", "--aws-port", "0",
            "--log-format", "json",
        )
        programs.callback(strict.stop)
        in_its_place = strict.ready("stepFunctionsLocal")["stepFunctionsLocal"]
        for where, use in [
            (f"The AWS port at {aws}", lambda: use_all(checks, aws, partner)),
            (f"In the place of Step Functions Local, --strict, at {in_its_place}",
             lambda: use_strictly(checks, client_of("stepfunctions", in_its_place))),
        ]:
            print(f"{where}:")
            try:
                use()
            except Exception:
                # What was checked so far is still worth telling.
                traceback.print_exc()
                checks.failed += 1
    print(f"\n{checks.passed} passed, {checks.failed} failed")
    return 0 if checks.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
