"""What LocalEmu 1.3.2 does differently from AWS, as far as the breaker meets it, mended; and what it can't tell, told. ../README.md lists the rest."""

import datetime
import functools
import gc
import json
from types import SimpleNamespace

import airspeed.operators
from localemu.http import Response
from localemu.services.apigateway.next_gen.execute_api import template_mapping
from localemu.services.cloudformation import api_utils
from localemu.services.edge import ROUTER
from localemu.services.events import provider as events
from localemu.services.stepfunctions.asl.component.common.error_name.failure_event import FailureEventException
from localemu.services.stepfunctions.asl.component.state import state
from localemu.services.stepfunctions.asl.component.state.state_choice.comparison.operator.implementations import (
    is_operator,
    timestamp_operators,
)
from localemu.services.stepfunctions.asl.component.state.state_execution.state_task.service.state_task_service_dynamodb import (
    StateTaskServiceDynamoDB,
)
from localemu.services.stepfunctions.asl.utils import boto_client, json_path


def timestamps() -> None:
    """IsTimestamp, and the comparisons built on it, take RFC 3339 with fractions of a second, as AWS does."""

    def parse(text: object) -> datetime.datetime | None:
        if not isinstance(text, str) or "T" not in text:
            return None
        try:
            moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        except ValueError:
            return None
        return moment if moment.tzinfo else None

    is_operator.IsTimestamp.string_to_timestamp = staticmethod(parse)


def context_in_choices() -> None:
    """A Choice's timestamp may be compared with one of the context object (`$$.State.EnteredTime`)."""

    def comparing(kind: type) -> staticmethod:
        def evaluate(env, value: str) -> None:
            variable = env.stack.pop()
            if value.startswith("$$."):
                held = json_path.extract_json(value[1:], env.states.context_object.context_object_data)
            else:
                held = json_path.extract_json(value, env.stack[-1])
            env.stack.append(kind._compare(variable, held))

        return staticmethod(evaluate)

    for name, kind in vars(timestamp_operators).items():
        if name.startswith("Timestamp") and name.endswith("Path"):
            kind.eval = comparing(kind)


def entered_time() -> None:
    """The context object's EnteredTime is written as AWS writes it: milliseconds, and Z for the zone."""

    class Moment(datetime.datetime):
        def isoformat(self, *_: object, **__: object) -> str:
            return f"{self:%Y-%m-%dT%H:%M:%S}.{self.microsecond // 1000:03d}Z"

    state.datetime = SimpleNamespace(datetime=Moment, UTC=datetime.UTC)


def speed() -> None:
    """A client for each service is made once, and each path is parsed once: otherwise a Task takes a fifth of a second."""
    original = boto_client.boto_client_for
    clients: dict[tuple[str, str, str], object] = {}

    def cached(service: str, region: str, state_credentials) -> object:
        key = (service, region, state_credentials.role_arn)
        if key not in clients:
            clients[key] = original(service=service, region=region, state_credentials=state_credentials)
        return clients[key]

    boto_client.boto_client_for = cached
    # The engine's objects are so many that each full collection stops everything for a second, a Task's whole time.
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, 1_000_000)
    json_path.parse = functools.lru_cache(maxsize=4096)(json_path.parse)


def templates() -> None:
    """A map in a mapping template has Java's containsKey, and a missing one has nothing."""
    methods = airspeed.operators.__additional_methods__
    maps = (dict, template_mapping.VTLMap, template_mapping.VTLJsonDict, template_mapping.AttributeDict)
    for kind in maps:
        methods[kind] = {**methods[dict], "containsKey": lambda self, key: key in self}


def template_size() -> None:
    """A template that was uploaded to S3 may have a megabyte."""
    api_utils.MAX_TEMPLATE_SIZE_URL = 1_000_000


def mocked_errors() -> None:
    """An error that TestState is told to raise in a DynamoDB Task keeps its name and its cause."""
    original = StateTaskServiceDynamoDB._from_error

    def from_error(self, env, ex: Exception):
        return ex.failure_event if isinstance(ex, FailureEventException) else original(self, env, ex)

    StateTaskServiceDynamoDB._from_error = from_error


def announcements() -> None:
    """What was announced can be asked for, in the form in which the local system tells it (`GET /_local/events`)."""
    told: list[dict] = []
    original = events.EventsProvider._process_entries

    def process(self, context, entries):
        results, failed = original(self, context, entries)
        told.extend(
            {"source": entry["Source"], "detail-type": entry["DetailType"], "detail": json.loads(entry["Detail"])}
            for entry, result in zip(entries, results)
            if "EventId" in result
        )
        return results, failed

    events.EventsProvider._process_entries = process
    ROUTER.add("/_local/events", lambda request: Response.for_json({"events": told}))


def all_of_them() -> None:
    for mend in (
        timestamps,
        context_in_choices,
        entered_time,
        speed,
        templates,
        template_size,
        mocked_errors,
        announcements,
    ):
        mend()
